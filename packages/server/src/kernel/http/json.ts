import { ApiError } from '../errors.js';

/** Escapes of characters that PostgreSQL cannot store, NUL and surrogates, and numbers that may be beyond the range of a double. */
const SUSPICIOUS = /\\u(?:0000|[dD][89a-fA-F])|[eE]\+?\d{3}|(?<!\d)\d{200}/;

/** Far deeper than any slide document, and shallow enough for recursive code, including PostgreSQL's JSON parser. */
const MAX_DEPTH = 200;

/** Maximum lists, objects and keys of a body, several times as many as large documents have: 1.7 million in 5 MB hold the event loop for a second. */
const MAX_PARTS = 200_000;

/** Maximum values of its lists and objects. A number takes a tenth as long to read as a list. */
const MAX_VALUES = 500_000;

/** Maximum keys of an object: reading and storing more takes longer with each key. */
const MAX_KEYS = 1000;

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
 * text that cannot be stored (NUL, single surrogates), numbers that would become infinite, and what would hold the event loop.
 * @param options.cutsCharacters takes texts that end or begin with half of a surrogate pair.
 */
export function parseJsonBody(body: Buffer, options: { cutsCharacters?: boolean } = {}): unknown {
  const source = decodeText(body);
  if (source === undefined) throw new ApiError('bodyNotJson', { reason: 'it is not encoded in UTF-8' });
  if (source.trim() === '') return undefined;
  requireNarrow(body);
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new ApiError('bodyNotJson', { reason: error instanceof Error ? error.message : String(error) });
  }
  if (source.includes('__proto__') || SUSPICIOUS.test(source)) inspect(value, options.cutsCharacters ?? false);
  return value;
}

/** True when the text can be stored: well-formed Unicode without NUL. */
export function isStorable(text: string): boolean {
  // In Unicode mode the halves of a pair are one character.
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
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
    for (const entry of Object.values(value)) open.push(entry);
    if (Array.isArray(value)) continue;
    for (const key of Object.keys(value)) {
      if (key === '__proto__') throw new ApiError('bodyNotJson', { reason: 'the key "__proto__" is not allowed' });
      requireStorable(key);
    }
  }
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Refuses a body that would take long to parse and to validate, by its bytes alone: one that nests too deeply or has too many parts or values. */
function requireNarrow(body: Buffer): void {
  // By depth: commas since the array or object was opened, and whether it is an object.
  const commas = new Uint32Array(MAX_DEPTH + 1);
  const isObject = new Uint8Array(MAX_DEPTH + 1);
  let depth = 0;
  let parts = 0;
  let values = 0;
  let isText = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA) {
      values += 1;
      commas[depth]! += 1;
      if (isObject[depth] === 1 && commas[depth]! >= MAX_KEYS)
        throw tooWide(`has an object with more than ${MAX_KEYS} keys`);
      if (values >= MAX_VALUES) throw tooWide(`has more than ${MAX_VALUES} values`);
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      parts += 1;
      depth += 1;
      if (depth > MAX_DEPTH) throw tooWide(`nests deeper than ${MAX_DEPTH} levels`);
      commas[depth] = 0;
      isObject[depth] = byte === OPEN_OBJECT ? 1 : 0;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth = Math.max(0, depth - 1);
    else if (byte === COLON) parts += 1;
    if (parts > MAX_PARTS) throw tooWide(`has more than ${MAX_PARTS} lists, objects and keys`);
  }
}

function tooWide(reason: string): ApiError {
  return new ApiError('badRequest', { reason: `it ${reason}` });
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
