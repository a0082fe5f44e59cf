import { createParser } from 'eventsource-parser';
import { CHAT, dig, ModelError, type ModelServer, post } from './chat.js';

/** Maximum size of a whole answer with all events around it. */
const MAX_ANSWER_BYTES = 8_000_000;
/** Deadline of a whole answer, and longest time without a byte of it. */
const DEADLINE_MS = 120_000;
const STALL_MS = 8000;
/** Maximum calls in one answer. */
const MAX_CALLS = 16;

/** A function that the model wants to be called; `arguments` is JSON as the model wrote it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** One message of a conversation with calls of tools. */
export type ChatMessage =
  | { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }
  | { readonly role: 'assistant'; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly content: string };

/** What is asked, and who gets the pieces of the answer. */
export interface StreamedQuestion {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: object }[];
  /** The server's model when null. */
  readonly model: string | null;
  readonly temperature: number | null;
  readonly signal: AbortSignal;
  readonly onText: (piece: string) => void;
}

/** A language model whose answers arrive in pieces. */
export interface StreamedChat {
  /** Resolves with the calls at the end of the answer. Throws {@link ModelError} when the model fails or sends nothing for 8 s, or the signal's reason. */
  answer(question: StreamedQuestion): Promise<ToolCall[]>;
}

/** A client for any server with streamed chat completions. */
export function openStreamedChat(server: ModelServer): StreamedChat {
  return {
    async answer({ messages, tools, model, temperature, signal, onText }) {
      const reader = new AnswerReader(onText);
      const result = await post(server, CHAT, {
        headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
        body: JSON.stringify({
          model: model ?? server.model,
          messages: messages.map(format),
          stream: true,
          ...(temperature === null ? {} : { temperature }),
          ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
        }),
        deadlineMs: DEADLINE_MS,
        stallMs: STALL_MS,
        maxBytes: MAX_ANSWER_BYTES,
        signal,
        onChunk: (chunk) => reader.push(chunk),
      });
      if (result.status !== 200) throw new ModelError(`the language model's server answered ${result.status}`);
      if (reader.failure !== undefined) throw reader.failure;
      return reader.calls;
    },
  };
}

function format(message: ChatMessage): object {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.content };
  if (!('calls' in message)) return message;
  const calls = message.calls.map(({ id, ...call }) => ({ id, type: 'function', function: call }));
  return { role: 'assistant', content: null, tool_calls: calls };
}

/** Reads the server-sent events of an answer. */
class AnswerReader {
  readonly #decoder = new TextDecoder();
  readonly #calls: { id: string; name: string; arguments: string }[] = [];
  readonly #parser = createParser({ onEvent: ({ data }) => this.#read(data) });
  /** What the server reported instead of the rest of the answer. */
  failure: ModelError | undefined;

  constructor(private readonly onText: (piece: string) => void) {}

  get calls(): ToolCall[] {
    return this.#calls.filter(({ name }) => name !== '');
  }

  push(chunk: Buffer): void {
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
  }

  #read(data: string): void {
    if (data === '[DONE]' || this.failure !== undefined) return;
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch (cause) {
      this.failure = new ModelError("the language model's server sent an event that is not JSON", { cause });
      return;
    }
    if ((dig(event, ['error']) ?? null) !== null) {
      this.failure = new ModelError('the language model failed during its answer');
      return;
    }
    const delta = dig(event, ['choices', 0, 'delta']);
    const text = dig(delta, ['content']);
    if (typeof text === 'string' && text !== '') this.onText(text);
    const calls = dig(delta, ['tool_calls']);
    if (Array.isArray(calls)) for (const call of calls) this.#readCall(call);
  }

  /** The parts of one call share an index. */
  #readCall(part: unknown): void {
    const index = Number(dig(part, ['index']) ?? 0);
    if (!Number.isInteger(index) || index < 0 || index >= MAX_CALLS) return;
    for (let next = this.#calls.length; next <= index; next++)
      this.#calls.push({ id: `call_${next}`, name: '', arguments: '' });
    const call = this.#calls[index]!;
    const [id, name, more] = [dig(part, ['id']), dig(part, ['function', 'name']), dig(part, ['function', 'arguments'])];
    if (typeof id === 'string' && id !== '') call.id = id;
    if (typeof name === 'string') call.name += name;
    if (typeof more === 'string') call.arguments += more;
  }
}
