import { type TSchema, Type } from '@sinclair/typebox';

/**
 * A problem of a document. `path` names slide and object (`slides[0].canvas.objects[2].src`).
 * With an `error` the video cannot be rendered; a `warning` names omitted or replaced parts.
 */
export interface Problem {
  readonly path: string;
  readonly message: string;
  readonly level: 'error' | 'warning';
}

/** A position in a document, and the list for its problems. */
export class DocumentPosition {
  constructor(
    readonly path: string,
    readonly problems: Problem[],
  ) {}

  /** The member `key` of this position. */
  at(key: string): DocumentPosition {
    return new DocumentPosition(this.path === '' ? key : `${this.path}.${key}`, this.problems);
  }

  /** Element `index` of the list `key` of this position. */
  item(key: string, index: number): DocumentPosition {
    return this.at(`${key}[${index}]`);
  }

  note(message: string, level: Problem['level'] = 'error'): void {
    this.problems.push({ path: this.path, message, level });
  }
}

const READ = Symbol('read');

/** The JSON schema of a stored value, and its lenient reader, which uses the default for a missing or wrong value. */
export interface Field<Stored, Read> extends TSchema {
  static: Stored;
  /** Exists only as a type. */
  readonly reads?: Read;
  readonly [READ]?: (raw: unknown, place: DocumentPosition) => Read;
}

/** Fields of an object by name. */
export type Fields = Readonly<Record<string, Field<unknown, unknown>>>;
/** Type of a field after reading. */
export type ReadOf<F> = F extends Field<unknown, infer Read> ? Read : never;
/** Type of a field as stored. */
export type StoredOf<F> = F extends { static: infer Stored } ? Stored : never;
/** Reads one member of an object at a time, so that only members in use are validated. */
export type MemberReader<F extends Fields> = <K extends keyof F & string>(key: K) => ReadOf<F[K]>;

interface Docs {
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

/** A number; a value outside its range is an error. Numeric text is accepted. Without a default it reads as null. */
export function number(
  options: Docs & { default: number; minimum?: number; maximum?: number; type?: 'integer' },
): Field<number, number>;
export function number(options: Docs & { minimum?: number; maximum?: number }): Field<number, number | null>;
export function number(options: object): Field<number, number | null> {
  return Type.Unsafe<number>({ type: 'number', minimum: -1e6, maximum: 1e6, ...options });
}

/** A whole number from a list. */
export function rate<const N extends number>(values: readonly N[], options: Docs & { default: N }): Field<N, N> {
  return Type.Unsafe<N>({ type: 'integer', enum: [...values], ...options });
}

/** Text; numbers are read as text. `maxLength` is checked when the document is stored. */
export function text(options: Docs & { default: string; maxLength?: number }): Field<string | null, string>;
export function text(options: Docs & { maxLength?: number }): Field<string | null, string | null>;
export function text(options: object): Field<string | null, string | null> {
  return Type.Unsafe<string | null>({ type: 'string', ...options });
}

/** True or false; also as text. */
export function flag(fallback: boolean, description: string): Field<boolean, boolean> {
  return Type.Unsafe<boolean>({ type: 'boolean', default: fallback, description });
}

/** One of `values`, read without regard to case; anything else is a warning and the default. */
export function choice<const T extends string>(
  values: readonly T[],
  fallback: NoInfer<T>,
  description?: string,
): Field<T, T> {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], default: fallback, ...(description && { description }) });
}

/** A value with a custom reader. */
export function special<Stored, Read>(
  schema: object,
  read: (raw: unknown, place: DocumentPosition) => Read,
): Field<Stored, Read> {
  return Object.assign(Type.Unsafe<Stored>(schema), { [READ]: read });
}

/** Reads `raw` by its schema. Missing values and `null` mean the default; a wrong value is reported and replaced by the default. */
export function readValue<Read>(field: Field<unknown, Read>, raw: unknown, place: DocumentPosition): Read {
  return field[READ] ? field[READ](raw, place) : (readPlain(field, raw, place) as Read);
}

/** A reader of the members of `source`. */
export function reading<F extends Fields>(
  fields: F,
  source: Readonly<Record<string, unknown>>,
  place: DocumentPosition,
): MemberReader<F> {
  return (key) => readValue(fields[key]!, source[key], place.at(key)) as ReadOf<F[typeof key]>;
}

/** The members `keys`, read one after the other. */
export function readEach<F extends Fields, const K extends keyof F & string>(
  read: MemberReader<F>,
  ...keys: readonly K[]
): { readonly [P in K]: ReadOf<F[P]> } {
  return Object.fromEntries(keys.map((key) => [key, read(key)])) as { readonly [P in K]: ReadOf<F[P]> };
}

function readPlain(schema: TSchema, raw: unknown, place: DocumentPosition): unknown {
  const fallback: unknown = schema['default'] ?? null;
  if (raw === undefined || raw === null) return fallback;
  if (schema['type'] === 'number' || schema['type'] === 'integer') return readNumber(schema, raw, place) ?? fallback;
  if (schema['enum'] !== undefined) return raw === '' ? fallback : (readChoice(schema, raw, place) ?? fallback);
  if (schema['type'] === 'boolean') {
    const flag = typeof raw === 'string' ? flagIn(raw) : raw;
    if (typeof flag === 'boolean') return flag;
    place.note(`expected true or false, got ${quote(raw)}`);
    return fallback;
  }
  if (typeof raw === 'string') return raw;
  if (typeof raw === 'number') return String(raw);
  place.note(`expected text, got ${quote(raw)}`);
  return fallback;
}

function readNumber(schema: TSchema, raw: unknown, place: DocumentPosition): number | undefined {
  const value = typeof raw === 'string' ? (numberIn(raw) ?? raw) : raw;
  const { minimum, maximum, exclusiveMinimum } = schema as { [key: string]: number };
  const [low, high] = [minimum ?? exclusiveMinimum ?? -(2 ** 53), maximum ?? 2 ** 53];
  const known = schema['enum'] as readonly number[] | undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) place.note(`expected a number, got ${quote(raw)}`);
  else if (known && !known.includes(value)) place.note(`expected one of ${known.join(', ')}, got ${value}`);
  else if (value < low || value > high) place.note(`expected a number from ${low} to ${high}, got ${value}`);
  else return schema['type'] === 'integer' ? Math.trunc(value) : value;
  return undefined;
}

function readChoice(schema: TSchema, raw: unknown, place: DocumentPosition): string | undefined {
  const values = schema['enum'] as readonly string[];
  const asked = typeof raw === 'string' ? raw.toLowerCase() : undefined;
  const found = values.find((value) => value.toLowerCase() === asked);
  if (found === undefined) place.note(`expected one of ${values.join(', ')}, got ${quote(raw)}`, 'warning');
  return found;
}

/** The boolean that a text names, in any case. */
export function flagIn(text: string): boolean | undefined {
  const name = text.trim().toLowerCase();
  return name === 'true' ? true : name === 'false' ? false : undefined;
}

/** The number that a text writes in decimal digits, as in JSON; `Number` would also read `0x10` and `Infinity`. */
export function numberIn(text: string): number | undefined {
  const value = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** True for a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value, quoted for a message. */
export function quote(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : `an ${typeof value}`;
}
