import type { TSchema } from '@sinclair/typebox';
import type { JsonSchema } from './schema-arbitrary.js';

/** A place of a body. */
export interface Place {
  readonly name: string;
  /** The body with this JSON in its place, otherwise as short as its schema allows. */
  around(json: string): string;
}

/** Deepest place: a point of an object on a slide's canvas. */
const MAX_LEVEL = 8;
/** Texts and objects of one route that are returned: the checks of each are alike. */
const MAX_ALIKE = 3;

/** Places of a schema for lists (with their shortest item), objects and texts, one for each name of a field. */
export function placesOf(schema: TSchema): { lists: (Place & { item: string })[]; objects: Place[]; texts: Place[] } {
  const lists = new Map<string, Place & { item: string }>();
  const [objects, texts] = [new Map<string, Place>(), new Map<string, Place>()];
  const walk = (part: JsonSchema, name: string, around: Place['around'], level = 0): void => {
    if (level > MAX_LEVEL) return;
    const { type, items = {}, properties = {}, patternProperties = {}, anyOf = [] } = part;
    const place = { name, around };
    if (type === 'array') {
      const item = JSON.stringify(leastOf(items));
      if (!lists.has(name + item)) lists.set(name + item, { ...place, item });
      walk(items, name, (json) => around(`[${json}]`), level + 1);
    }
    if (type === 'string' && !texts.has(name)) texts.set(name, place);
    if (type === 'object' && !objects.has(name)) objects.set(name, place);
    for (const branch of anyOf) walk(branch, name, around, level + 1);
    const others = type === 'object' ? (leastOf({ ...part, anyOf: [] }) as object) : {};
    for (const [field, property] of Object.entries(properties)) {
      if (property.not !== undefined) continue;
      const rest = Object.entries(others).filter(([name]) => name !== field);
      const before = JSON.stringify(Object.fromEntries(rest)).slice(0, -1);
      const inside = (json: string) => `${before}${before === '{' ? '' : ','}${JSON.stringify(field)}:${json}}`;
      walk(property, field, (json) => around(inside(json)), level + 1);
    }
    for (const property of Object.values(patternProperties))
      walk(property, `${name}.*`, (json) => around(`{"a":${json}}`), level + 1);
  };
  walk(schema as JsonSchema, 'body', (json) => json);
  return {
    lists: [...lists.values()],
    objects: [...objects.values()].slice(0, MAX_ALIKE),
    texts: [...texts.values()].slice(0, MAX_ALIKE),
  };
}

/** The shortest value of a schema, except for forms of texts. */
function leastOf(schema: JsonSchema): unknown {
  const { type, minLength = 0, minimum = 0, minItems = 0, items = {}, properties = {}, required = [] } = schema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  switch (type) {
    case 'object':
      return Object.fromEntries(required.map((name) => [name, leastOf(properties[name] ?? {})]));
    case 'array':
      return Array.from({ length: minItems }, () => leastOf(items));
    case 'string':
      return 'a'.repeat(minLength);
    case 'number':
    case 'integer':
      return Math.max(minimum, 0);
    case 'boolean':
      return false;
    default:
      return schema.anyOf?.[0] === undefined ? null : leastOf(schema.anyOf[0]);
  }
}
