import { createParser } from 'eventsource-parser';
import { CHAT, contentOf, dig, ModelError, type ModelServer, post } from './chat.js';
import { ThoughtFilter } from './thoughts.js';
import { type ToolCall, ToolCallReader } from './tool-call-reader.js';

export type { ToolCall } from './tool-call-reader.js';

/** Maximum size of a whole answer with all events around it. */
const MAX_ANSWER_BYTES = 8_000_000;
/** Deadline of a whole answer, and longest time without a byte of it. */
const DEADLINE_MS = 120_000;
const STALL_MS = 8000;
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

/** A client for any server with chat completions, streamed or, where the server does not stream, whole. */
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
      return reader.end();
    },
  };
}

function format(message: ChatMessage): object {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.content };
  if (!('calls' in message)) return message;
  const calls = message.calls.map(({ id, ...call }) => ({ id, type: 'function', function: call }));
  return { role: 'assistant', content: null, tool_calls: calls };
}

/** Reads the server-sent events of an answer, or its JSON object. */
class AnswerReader {
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({ onEvent: ({ data }) => this.#read(data) });
  readonly #thoughts = new ThoughtFilter();
  readonly #calls = new ToolCallReader();
  /** What has arrived, until it is known to be events. */
  #whole: string | undefined = '';
  /** What the server reported instead of the rest of the answer. */
  #failure: ModelError | undefined;

  constructor(private readonly onText: (piece: string) => void) {}

  push(chunk: Buffer): void {
    const text = (this.#whole ?? '') + this.#decoder.decode(chunk, { stream: true });
    // An event begins with the name of a field or a colon.
    if (this.#whole === undefined || /^\s*[^\s{]/.test(text)) {
      this.#whole = undefined;
      this.#parser.feed(text);
    } else this.#whole = text;
  }

  /** @returns the calls of the answer. Throws {@link ModelError} when it failed. */
  end(): ToolCall[] {
    if (this.#whole !== undefined && this.#whole.trim() !== '') this.#read(this.#whole);
    if (this.#failure !== undefined) throw this.#failure;
    this.#say(this.#thoughts.end());
    return this.#calls.calls;
  }

  #say(text: string): void {
    if (text !== '') this.onText(text);
  }

  #read(data: string): void {
    if (data === '[DONE]' || this.#failure !== undefined) return;
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch (cause) {
      this.#failure = new ModelError("the language model's server sent something that is not JSON", { cause });
      return;
    }
    if ((dig(event, ['error']) ?? null) !== null) {
      this.#failure = new ModelError('the language model failed during its answer');
      return;
    }
    const choice = dig(event, ['choices', 0]);
    const message = dig(choice, ['delta']) ?? dig(choice, ['message']);
    this.#say(this.#thoughts.push(contentOf(message) ?? ''));
    const calls = dig(message, ['tool_calls']);
    if (Array.isArray(calls)) for (const call of calls) this.#calls.push(call);
  }
}
