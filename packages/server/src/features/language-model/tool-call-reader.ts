import { dig } from './chat.js';

/** Maximum calls in one answer. */
const MAX_CALLS = 16;

/** A function that the model wants to be called; `arguments` is JSON as the model wrote it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

interface GrowingCall {
  readonly index: unknown;
  readonly id: string;
  /** As the server sent it. */
  readonly givenId: string;
  name: string;
  arguments: string;
  /** The latest part of the arguments. */
  latest: string;
}

/**
 * Joins the parts of streamed tool calls. By OpenAI's specification the parts of one call share an index and only the first has id and name. Servers
 * also send no index, one index for all calls, the name in every part, and arguments as an object, as JSON in JSON, or from their beginning
 * in every part.
 */
export class ToolCallReader {
  readonly #calls: GrowingCall[] = [];

  get calls(): ToolCall[] {
    return this.#calls
      .filter(({ name }) => name !== '')
      .map(({ id, name, ...call }) => ({ id, name, arguments: argumentsOf(call) }));
  }

  push(part: unknown): void {
    const index = dig(part, ['index']) ?? undefined;
    const givenId = textAt(part, ['id']);
    const name = textAt(part, ['function', 'name']);
    const given = dig(part, ['function', 'arguments']) ?? '';
    const more = typeof given === 'string' ? given : JSON.stringify(given);
    const current = this.#currentOf(index, givenId);
    if (current === undefined || isAnother(current, { givenId, name, more })) {
      if (this.#calls.length < MAX_CALLS)
        this.#calls.push({ index, givenId, id: this.#newId(givenId), name, arguments: more, latest: more });
      return;
    }
    // The whole name or its beginning again, or its next characters.
    current.name = name.startsWith(current.name) ? name : current.name + name;
    current.arguments += more;
    if (more !== '') current.latest = more;
  }

  /** The call that a part continues, unless it begins another one. */
  #currentOf(index: unknown, givenId: string): GrowingCall | undefined {
    if (index !== undefined) return this.#calls.findLast((call) => call.index === index);
    return this.#calls.findLast((call) => givenId !== '' && call.givenId === givenId) ?? this.#calls.at(-1);
  }

  /** Results are assigned by id, which some servers leave out or repeat. */
  #newId(givenId: string): string {
    const isFree = givenId !== '' && this.#calls.every(({ id }) => id !== givenId);
    return isFree ? givenId : `call_${this.#calls.length}`;
  }
}

/** Whether a part with a name begins another call, although its index does not say so. */
function isAnother(
  call: GrowingCall,
  { givenId, name, more }: { readonly givenId: string; readonly name: string; readonly more: string },
): boolean {
  if (name === '') return false;
  if (givenId !== '' && call.givenId !== '') return givenId !== call.givenId;
  return call.arguments !== '' && (!name.startsWith(call.name) || (isObject(call.arguments) && more.startsWith('{')));
}

/** The arguments of a whole call. */
function argumentsOf({ arguments: joined, latest }: Pick<GrowingCall, 'arguments' | 'latest'>): string {
  if (!isObject(joined) && isObject(latest)) return latest;
  const inner = jsonIn(joined);
  return typeof inner === 'string' && isObject(inner) ? inner : joined;
}

function isObject(text: string): boolean {
  const value = jsonIn(text);
  return typeof value === 'object' && value !== null;
}

/** The value of JSON; `undefined` while it is not whole. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text at a path of properties; empty when there is none. */
export function textAt(part: unknown, path: readonly string[]): string {
  const value = dig(part, path);
  return typeof value === 'string' ? value : '';
}
