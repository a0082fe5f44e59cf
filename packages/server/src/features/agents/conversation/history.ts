import type { ChatMessage } from '../../language-model/index.js';

/** Messages that the model gets besides the system prompt; more only where one question has more. */
const MOST_MESSAGES = 80;
/** Follows the agent's own prompt, because models write for screens. */
const SPOKEN_STYLE =
  'Your answers are spoken aloud by a presenter. Answer in short, plain sentences without lists, headings, markup, links or emoji.';

/**
 * What begins a token of roles in the template of a model, such as `<|im_start|>`, `</s>`, `<start_of_turn>` or `[INST]`. Many servers read these in the
 * text of a message too.
 */
const ROLE_TOKEN = /<(?=[|｜/\p{L}])|\[(?=\/?[A-Z_]{1,40}\])/gu;

/** The messages of a conversation. What the viewer says has the role `user` and no other. */
export class History {
  readonly #messages: ChatMessage[] = [];

  constructor(private readonly prompt: string) {}

  /** Adds what the viewer said; a text that was not answered and the next one become one message, as many models require. */
  addViewer(text: string): void {
    const last = this.#messages.at(-1);
    if (last?.role !== 'user') this.#messages.push({ role: 'user', content: text });
    else this.#messages.splice(-1, 1, { role: 'user', content: `${last.content}\n${text}` });
  }

  /** Adds what the agent said. */
  addAgent(text: string): void {
    this.#messages.push({ role: 'assistant', content: text });
  }

  /** Adds calls of tools with their results. */
  addCalls(messages: readonly ChatMessage[]): void {
    this.#messages.push(...messages);
  }

  /**
   * The messages for the model: the latest ones, from a message of the viewer on, because models refuse results of tools without their calls. Only the
   * prompt can have tokens of roles.
   */
  get messages(): ChatMessage[] {
    const latest = this.#messages.slice(this.#first).map(withoutRoleTokens);
    return [{ role: 'system', content: `${this.prompt}\n\n${SPOKEN_STYLE}` }, ...latest];
  }

  get #first(): number {
    const oldest = this.#messages.length - MOST_MESSAGES;
    if (oldest <= 0) return 0;
    const first = this.#messages.findIndex(({ role }, at) => at >= oldest && role === 'user');
    // One question can have more calls of tools than that.
    return first >= 0 ? first : this.#messages.findLastIndex(({ role }) => role === 'user');
  }
}

function withoutRoleTokens(message: ChatMessage): ChatMessage {
  return 'content' in message ? { ...message, content: message.content.replace(ROLE_TOKEN, '$& ') } : message;
}
