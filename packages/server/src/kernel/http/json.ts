import { ApiError } from '../errors.js';

/** Escapes of characters that PostgreSQL cannot store, NUL and surrogates, and numbers that may be beyond the range of a double. */
const SUSPICIOUS = /\\u(?:0000|[dD][89a-fA-F])|[eE]\+?\d{3}|(?<!\d)\d{200}/;

/** Far deeper than any slide document, and shallow enough for recursive code, including PostgreSQL's JSON parser. */
const MAX_DEPTH = 200;

/** A body's text, without a byte order mark; `undefined` when it is not valid UTF-8. */
export function decodeText(body: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

/**
 * Parses a JSON body. An empty body is `undefined`. Refuses invalid JSON, keys that would reach an object's prototype,
 * text that cannot be stored (NUL, single surrogates), and numbers that would become infinite.
 * @param options.cutsCharacters takes texts that end or begin with half of a surrogate pair.
 */
export function parseJsonBody(body: Buffer, options: { cutsCharacters?: boolean } = {}): unknown {
  const source = decodeText(body);
  if (source === undefined) throw new ApiError('bodyNotJson', { reason: 'it is not encoded in UTF-8' });
  if (source.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new ApiError('bodyNotJson', { reason: error instanceof Error ? error.message : String(error) });
  }
  if (source.includes('__proto__') || SUSPICIOUS.test(source)) inspect(value, options.cutsCharacters ?? false);
  // A short text cannot nest deeply.
  if (source.length > 2 * MAX_DEPTH && isDeep(value)) {
    throw new ApiError('badRequest', { reason: `it nests deeper than ${MAX_DEPTH} levels` });
  }
  return value;
}

/** True when the text can be stored: well-formed Unicode without NUL. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
}

function inspect(root: unknown, cutsCharacters: boolean): void {
  // A loop instead of recursion: a deeply nested body must not overflow the stack.
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (value === Infinity || value === -Infinity)
      throw new ApiError('badRequest', { reason: 'it has a number that is too large' });
    if (typeof value === 'string') requireStorable(cutsCharacters ? withoutHalves(value) : value);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, entry] of Object.entries(value)) {
      if (key === '__proto__') throw new ApiError('bodyNotJson', { reason: 'the key "__proto__" is not allowed' });
      requireStorable(key);
      open.push(entry);
    }
  }
}

/**
 * True when arrays and objects are nested more than {@link MAX_DEPTH} levels deep. Level by level, without recursion.
 */
function isDeep(root: unknown): boolean {
  let level: object[] = isContainer(root) ? [root] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === MAX_DEPTH) return true;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The text without half a surrogate pair at its end or its beginning. */
function withoutHalves(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}

function requireStorable(text: string): void {
  if (isStorable(text)) return;
  throw new ApiError('badRequest', {
    reason: 'it has text that cannot be stored (a NUL character or half of a surrogate pair)',
  });
}
