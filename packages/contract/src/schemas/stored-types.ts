import type { TSchema } from '@sinclair/typebox';
import { flagIn, isRecord, numberIn } from '../document/field.js';

/** Deepest level that is read: the objects of the deepest group that can be drawn, with their styles, are above it. */
const MAX_LEVEL = 64;

const SHAPE = Symbol('shape');
const ALIASES = Symbol('aliases');

type Members = Readonly<Record<string, TSchema>>;
type JsonRecord = Readonly<Record<string, unknown>>;

/** A schema with what JSON schema cannot say. */
interface Hinted extends TSchema {
  readonly [SHAPE]?: (value: JsonRecord) => Members;
  readonly [ALIASES]?: Readonly<Record<string, string>>;
}

/** `schema` of an object whose members depend on its value, for {@link withStoredTypes}. */
export function shapedBy<S extends TSchema>(schema: S, membersOf: (value: JsonRecord) => Members): S {
  return Object.assign(schema, { [SHAPE]: membersOf });
}

/** `schema` of an object with other names for its members: `{code: 'id'}` reads `id` as `code` where that is absent. */
export function withAliases<S extends TSchema>(schema: S, aliases: Readonly<Record<string, string>>): S {
  return Object.assign(schema, { [ALIASES]: aliases });
}

/**
 * The value with the types of its schema: where it declares a boolean or a number, `"true"`, `"false"` (in any case) and
 * numeric text become one, because programs of the original service send them. Everything else is returned as it came,
 * for validation.
 */
export function withStoredTypes(schema: TSchema, value: unknown): unknown {
  return readLevel(schema, value, 0);
}

function readLevel(schema: TSchema, value: unknown, level: number): unknown {
  if (typeof value === 'string') return readText(branchesOf(schema), value);
  if (typeof value !== 'object' || value === null || level > MAX_LEVEL) return value;
  return branchesOf(schema).reduce<unknown>(
    (read, branch) =>
      Array.isArray(read) ? readList(branch, read, level) : isRecord(read) ? readRecord(branch, read, level) : read,
    value,
  );
}

/** The schema and the alternatives that it offers. A shape takes the place of alternatives that only document it. */
function branchesOf(schema: Hinted): Hinted[] {
  const offered = schema[SHAPE] === undefined ? ((schema['anyOf'] ?? []) as Hinted[]) : [];
  return [schema, ...offered.flatMap(branchesOf)];
}

function readText(branches: readonly TSchema[], text: string): unknown {
  if (branches.some((branch) => acceptsText(branch, text))) return text;
  const types = branches.map((branch): unknown => branch['type']);
  const flag = types.includes('boolean') ? flagIn(text) : undefined;
  return flag ?? (types.includes('number') || types.includes('integer') ? (numberIn(text) ?? text) : text);
}

function acceptsText(schema: TSchema, text: string): boolean {
  const listed = schema['enum'] as readonly unknown[] | undefined;
  if (listed === undefined) return schema['type'] === 'string';
  return listed.some((one) => typeof one === 'string' && one.toLowerCase() === text.toLowerCase());
}

function readList(schema: TSchema, list: readonly unknown[], level: number): readonly unknown[] {
  const items = schema['items'] as TSchema | undefined;
  // Validation refuses a list that is too long.
  if (items === undefined || list.length > (schema['maxItems'] ?? Number.POSITIVE_INFINITY)) return list;
  const read = list.map((item) => readLevel(items, item, level + 1));
  return read.some((item, index) => item !== list[index]) ? read : list;
}

function readRecord(schema: Hinted, given: JsonRecord, level: number): JsonRecord {
  const record = renamed(given, schema[ALIASES]);
  const members = schema[SHAPE]?.(record) ?? ((schema['properties'] ?? {}) as Members);
  const others = schema['additionalProperties'] as TSchema | undefined;
  let changed: Record<string, unknown> | undefined;
  for (const key of Object.keys(record)) {
    const member = Object.hasOwn(members, key) ? members[key] : others;
    if (member === undefined) continue;
    const read = readLevel(member, record[key], level + 1);
    if (read === record[key]) continue;
    changed ??= { ...record };
    changed[key] = read;
  }
  return changed ?? record;
}

function renamed(record: JsonRecord, aliases: Hinted[typeof ALIASES] = {}): JsonRecord {
  const added = Object.entries(aliases).filter(([name, alias]) => record[name] == null && record[alias] != null);
  return added.length === 0
    ? record
    : { ...record, ...Object.fromEntries(added.map(([name, alias]) => [name, String(record[alias])])) };
}
