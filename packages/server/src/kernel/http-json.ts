import { ApiError } from './http-error.js';

/** Escapes that may stand for a character PostgreSQL cannot store: NUL and surrogates. */
const SUSPICIOUS = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * Reads a JSON body. Nothing at all is `undefined`. Refuses what is no JSON, keys that would reach an object's
 * prototype, and text that cannot be stored (NUL, half surrogate pairs).
 */
export function parseJsonBody(text: string): unknown {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (source.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new ApiError('bodyNotJson', { reason: error instanceof Error ? error.message : String(error) });
  }
  if (source.includes('__proto__') || SUSPICIOUS.test(source)) inspect(value);
  return value;
}

/** True when the text can be stored: well-formed Unicode without NUL. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
}

function inspect(root: unknown): void {
  // A loop instead of recursion: a deeply nested body must not exhaust the stack.
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') requireStorable(value);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, entry] of Object.entries(value)) {
      if (key === '__proto__') throw new ApiError('bodyNotJson', { reason: 'the key "__proto__" is not allowed' });
      requireStorable(key);
      open.push(entry);
    }
  }
}

function requireStorable(text: string): void {
  if (isStorable(text)) return;
  throw new ApiError('badRequest', {
    reason: 'it has text that cannot be stored (a NUL character or half of a surrogate pair)',
  });
}
