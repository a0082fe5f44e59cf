import { createParser } from 'eventsource-parser';
import { AnswerMarkup } from './answer-markup.js';
import { CHAT, contentOf, dig, ModelError, type ModelServer, post } from './chat.js';
import { type ToolCall, ToolCallReader, textAt } from './tool-call-reader.js';

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

/** Reads an answer: server-sent events, a JSON object, or a JSON object a line. */
class AnswerReader {
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({ onEvent: ({ event, data }) => this.#read(data, event) });
  readonly #markup = new AnswerMarkup();
  readonly #calls = new ToolCallReader();
  /** What has arrived, until it is known to be events; of JSON lines, the last one. */
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
    } else this.#whole = this.#readLines(text);
  }

  /** @returns the calls of the answer. Throws {@link ModelError} when it failed. */
  end(): ToolCall[] {
    if (this.#whole !== undefined && this.#whole.trim() !== '') this.#read(this.#whole);
    // The last event may have no empty line after it.
    else if (this.#whole === undefined) this.#parser.feed('\n\n');
    if (this.#failure !== undefined) throw this.#failure;
    this.#say(this.#markup.end());
    for (const call of this.#markup.calls.flatMap(callsIn)) this.#calls.push(call);
    return this.#calls.calls;
  }

  /** @returns the text from the first line on that is not a JSON object of its own. */
  #readLines(text: string): string {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      const line = text.slice(from, end);
      if (line.trim() !== '' && parsed(line) === undefined) break;
      if (line.trim() !== '') this.#read(line);
      from = end + 1;
    }
    return text.slice(from);
  }

  #say(text: string): void {
    if (text !== '') this.onText(text);
  }

  #read(data: string, name?: string): void {
    if (data === '[DONE]' || this.#failure !== undefined) return;
    const event = parsed(data);
    if (event === undefined) {
      this.#failure = new ModelError("the language model's server sent something that is not JSON");
      return;
    }
    if (name === 'error' || dig(event, ['object']) === 'error' || (dig(event, ['error']) ?? null) !== null) {
      this.#failure = new ModelError('the language model failed during its answer');
      return;
    }
    // Ollama's own API has the message at the top.
    const choice = dig(event, ['choices', 0]) ?? event;
    const message = dig(choice, ['delta']) ?? dig(choice, ['message']);
    this.#say(this.#markup.push(contentOf(message) ?? textAt(choice, ['text'])));
    const calls = [dig(message, ['tool_calls']) ?? []].flat();
    for (const call of calls) this.#calls.push(call);
    // As servers wrote it before tools.
    const old = dig(message, ['function_call']);
    if (typeof old === 'object' && old !== null) this.#calls.push({ index: -1, function: old });
  }
}

/** The value of JSON; `undefined` for other text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The calls that a model wrote into its answer: one or a list, with `arguments` or `parameters`. */
function callsIn(text: string): object[] {
  return [parsed(text) ?? []].flat().map((call: unknown) => ({
    function: { name: dig(call, ['name']), arguments: dig(call, ['arguments']) ?? dig(call, ['parameters']) ?? {} },
  }));
}
