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

/** Options of {@link openChat}. */
export interface ChatOptions {
  readonly fetch: SafeFetch;
  /** Base URL (`https://host/v1`), with or without the path of chat completions. */
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
export function openChat({ fetch, url, key, model }: ChatOptions): Chat {
  const address = operationUrl(url, '/chat/completions');
  let knowsFormat = true;

  const post = (body: object, limits: { deadlineMs: number; signal?: AbortSignal }): Promise<FetchResult> =>
    fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...authorization(key) },
      body: JSON.stringify(body),
      deadlineMs: Math.max(1, limits.deadlineMs),
      maxBytes: MAX_ANSWER_BYTES,
      // The address is configured by the operator; a model often runs on the same machine.
      allowPrivate: true,
      ...(limits.signal === undefined ? {} : { signal: limits.signal }),
    });

  return {
    async ask(messages, schema, limits) {
      const plain = { model, messages, temperature: TEMPERATURE };
      const format = { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } };
      const until = Date.now() + limits.deadlineMs;
      try {
        let result = await post(knowsFormat ? { ...plain, response_format: format } : plain, limits);
        if (knowsFormat && UNKNOWN_FORMAT.has(result.status)) {
          const without = await post(plain, { ...limits, deadlineMs: until - Date.now() });
          // Only a server that answers without the format does not support it.
          if (without.status === 200) knowsFormat = false;
          result = without;
        }
        if (result.status !== 200) throw new ModelError(`the language model's server answered ${result.status}`);
        return textOf(result.body);
      } catch (error) {
        if (error instanceof FetchError)
          throw new ModelError(`the language model gave no answer: ${error.message}`, { cause: error });
        throw error;
      }
    },
  };
}

/** The address of an operation under a base URL, with or without `/v1` or the operation itself. */
export function operationUrl(base: string, operation: '/chat/completions' | '/audio/transcriptions'): string {
  const url = new URL(base);
  const path = url.pathname.replace(/\/{1,8}$/, '');
  if (!path.endsWith(operation)) url.pathname = `${path === '' ? '/v1' : path}${operation}`;
  return url.href;
}

/** `choices[0].message.content`, which some servers return in parts. */
function textOf(body: Buffer): string {
  let answer: unknown;
  try {
    answer = JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new ModelError("the language model's server did not answer with JSON", { cause });
  }
  const content = dig(answer, ['choices', 0, 'message', 'content']);
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map((part) => String(dig(part, ['text']) ?? '')).join('');
  throw new ModelError("the language model's answer has no message");
}

/** The header for a key. */
export function authorization(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { Authorization: `Bearer ${key}` };
}

/** The value at a path of properties and indices; `undefined` where there is none. */
export function dig(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[key] : undefined),
    value,
  );
}
