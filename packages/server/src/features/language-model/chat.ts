import { FetchError, type FetchResult, type SafeFetch } from '../../kernel/contract.js';

/** A language model or a recogniser returned nothing usable. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

/** One message of a conversation with a model. */
export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** A language model behind the OpenAI chat completions API. */
export interface Chat {
  /** The model's answer as text; `schema` (JSON Schema) requests structured output. Throws {@link ModelError}. */
  ask(
    turns: readonly PromptMessage[],
    schema: object,
    limits: { deadlineMs: number; signal?: AbortSignal },
  ): Promise<string>;
}

/** A model on a server with OpenAI's API. */
export interface ModelServer {
  readonly fetch: SafeFetch;
  /** Base URL (`https://host/v1`), with or without the path of the operation. */
  readonly url: string;
  readonly key: string | undefined;
  readonly model: string;
}

const MAX_ANSWER_BYTES = 4_000_000;
/** Low, because chapters should follow the source. */
const TEMPERATURE = 0.4;
/** Status codes of servers that do not support `response_format`. */
const UNKNOWN_FORMAT = new Set([400, 404, 415, 422, 501]);

/** A client for any server with the chat completions API (OpenAI, Ollama, vLLM, llama.cpp, LM Studio …). */
export function openChat(server: ModelServer): Chat {
  let knowsFormat = true;

  const send = (body: object, limits: { deadlineMs: number; signal?: AbortSignal }): Promise<FetchResult> =>
    post(server, CHAT, {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      // Whole, as timers of signals need it; the clock has fractions.
      deadlineMs: Math.max(1, Math.ceil(limits.deadlineMs)),
      maxBytes: MAX_ANSWER_BYTES,
      ...(limits.signal === undefined ? {} : { signal: limits.signal }),
    });

  return {
    async ask(messages, schema, limits) {
      const plain = { model: server.model, messages, temperature: TEMPERATURE };
      const format = { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } };
      const until = performance.now() + limits.deadlineMs;
      let result = await send(knowsFormat ? { ...plain, response_format: format } : plain, limits);
      if (knowsFormat && UNKNOWN_FORMAT.has(result.status)) {
        const without = await send(plain, { ...limits, deadlineMs: until - performance.now() });
        // Only a server that answers without the format does not support it.
        if (without.status === 200) knowsFormat = false;
        result = without;
      }
      if (result.status !== 200) throw new ModelError(`the language model's server answered ${result.status}`);
      return textOf(result.body);
    },
  };
}

/** An operation of a server, and what it is in errors. */
interface Operation {
  readonly path: string;
  readonly what: string;
}

/** Answers of a language model. */
export const CHAT: Operation = { path: '/chat/completions', what: 'the language model' };
/** The words of recorded speech. */
export const TRANSCRIPTION: Operation = { path: '/audio/transcriptions', what: 'the speech recogniser' };

/** Asks a server. Throws {@link ModelError} without an answer. */
export async function post(
  { fetch, url, key }: ModelServer,
  { path, what }: Operation,
  { headers, ...request }: Omit<Parameters<SafeFetch>[1], 'method' | 'allowPrivate'>,
): Promise<FetchResult> {
  try {
    return await fetch(operationUrl(url, path), {
      ...request,
      method: 'POST',
      headers: { ...headers, ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }) },
      // The address is configured by the operator; a model often runs on the same machine.
      allowPrivate: true,
    });
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw new ModelError(`${what} gave no answer: ${reasonOf(error, request)}`, { cause: error });
  }
}

/** Why a server gave no answer, without its address: viewers and callers of the API read this. */
function reasonOf({ code }: FetchError, { deadlineMs, stallMs }: { deadlineMs: number; stallMs?: number }): string {
  const seconds = (ms: number) => Math.ceil(ms / 1000);
  if (code === 'timeout') return `it did not answer within ${seconds(deadlineMs)} s`;
  if (code === 'stalled') return `it sent nothing for ${seconds(stallMs ?? deadlineMs)} s`;
  if (code === 'closed') return 'it closed the connection';
  if (code === 'too_large') return 'its answer is too large';
  if (code === 'redirect') return 'it redirects to another address';
  return 'it cannot be reached';
}

/** The address of an operation under a base URL, with or without `/v1` or the operation itself. */
function operationUrl(base: string, operation: string): string {
  const url = new URL(base);
  const path = url.pathname.replace(/\/{1,8}$/, '');
  if (!path.endsWith(operation)) url.pathname = `${path === '' ? '/v1' : path}${operation}`;
  return url.href;
}

/** The text of a whole answer. */
function textOf(body: Buffer): string {
  let answer: unknown;
  try {
    answer = JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new ModelError("the language model's server did not answer with JSON", { cause });
  }
  const content = contentOf(dig(answer, ['choices', 0, 'message']));
  if (content !== undefined) return content;
  throw new ModelError("the language model's answer has no message");
}

/** The text of a message or of a piece of it; `undefined` when there is none. Some servers send a list of parts, thoughts among them; a refusal is an answer too. */
export function contentOf(message: unknown): string | undefined {
  const content = dig(message, ['content']) ?? dig(message, ['refusal']);
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  return content.map((part: unknown) => (typeof part === 'string' ? part : textOfPart(part))).join('');
}

function textOfPart(part: unknown): string {
  const text = dig(part, ['text']);
  const isAnswer = ['text', 'output_text', undefined].includes(dig(part, ['type']) as string | undefined);
  return isAnswer && typeof text === 'string' ? text : '';
}

/** The value at a path of properties and indices; `undefined` where there is none. */
export function dig(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[key] : undefined),
    value,
  );
}
