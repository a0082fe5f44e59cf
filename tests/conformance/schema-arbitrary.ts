import type { TSchema } from '@sinclair/typebox';
import fc from 'fast-check';

export interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly not?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

/** Strings that often break databases, paths, templates and regular expressions. */
const NASTY = [
  '',
  '\0',
  '\ud800',
  '__proto__',
  '../../etc/passwd',
  "'; drop table videos; --",
  '{{x}}',
  '%00',
  '\u202e',
  'ÿ'.repeat(300),
  '𝕏',
];

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 10 }),
  fc.constantFrom(...NASTY),
);

/** Any JSON at all. */
const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  text,
  fc.constantFrom(1e308, -0, Number.MAX_SAFE_INTEGER, null, [], {}),
);

/** Values of a schema, sometimes with random JSON in place of one part. */
export function arbitraryOf(schema: TSchema): fc.Arbitrary<unknown> {
  return mostly(partOf(schema as JsonSchema));
}

function mostly(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 14, arbitrary: value }, { weight: 1, arbitrary: junk });
}

function partOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(partOf));
  switch (schema.type) {
    case 'object':
      return objectOf(schema);
    case 'array':
      return fc.array(mostly(partOf(schema.items ?? {})), { maxLength: Math.min(4, schema.maxItems ?? 4) });
    case 'string':
      return stringOf(schema);
    case 'integer':
      return fc.integer({
        min: Math.max(schema.minimum ?? -9, -(2 ** 31)),
        max: Math.min(schema.maximum ?? 9, 2 ** 31 - 1),
      });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return junk;
  }
}

function objectOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const [pattern] = Object.values(schema.patternProperties ?? {});
  if (pattern !== undefined) return fc.dictionary(fc.string({ maxLength: 5 }), partOf(pattern), { maxKeys: 3 });
  const properties = Object.entries(schema.properties ?? {}).filter(([, property]) => property.not === undefined);
  const required = new Set(schema.required ?? []);
  const model = Object.fromEntries(properties.map(([name, property]) => [name, mostly(partOf(property))]));
  return fc.record(model, { requiredKeys: properties.flatMap(([name]) => (required.has(name) ? [name] : [])) });
}

function stringOf({ pattern, minLength = 0, maxLength = 30 }: JsonSchema): fc.Arbitrary<unknown> {
  const fitting = pattern?.includes('@')
    ? fc.emailAddress()
    : fc.string({ minLength, maxLength: Math.min(30, maxLength) });
  return fc.oneof({ weight: 4, arbitrary: fitting }, { weight: 1, arbitrary: text });
}
