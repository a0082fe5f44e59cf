/** Tags around thoughts, which reasoning models write before an answer and between its parts. */
const THOUGHTS: readonly (readonly [start: string, end: string])[] = [
  ...[
    'think',
    'thinking',
    'thought',
    'thoughts',
    'reasoning',
    'reflection',
    'scratchpad',
    'antthinking',
    'seed:think',
  ].map((name) => [`<${name}>`, `</${name}>`] as const),
  ['[think]', '[/think]'],
  ['◁think▷', '◁/think▷'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['<|start_thinking|>', '<|end_thinking|>'],
  ['<|channel|>analysis', '<|channel|>final<|message|>'],
];
/** Tags around calls of tools that the server has not read; some have no end but that of the answer. */
const CALLS: readonly (readonly [start: string, end: string])[] = [
  ['<tool_call>', '</tool_call>'],
  ['<function_call>', '</function_call>'],
  ['<|tool_call|>', '<|/tool_call|>'],
  ['[tool_calls]', '[/tool_calls]'],
  ['<|python_tag|>', '<|eom_id|>'],
];
/** Signs of a model's template, which some servers leave at the end of an answer. */
const SIGNS = [
  '<|im_start|>assistant',
  ...['im_end', 'im_start', 'eot_id', 'eom_id', 'endoftext', 'end_of_text', 'end', 'return'].map(
    (name) => `<|${name}|>`,
  ),
  '<|start|>assistant',
  '<end_of_turn>',
  '</s>',
  ...CALLS.map(([, end]) => end),
];

const ENDS: ReadonlyMap<string, string> = new Map([...THOUGHTS, ...CALLS]);
const ENDS_OF_THOUGHTS = new Set(THOUGHTS.map(([, end]) => end));
const STARTS_OF_CALLS = new Set(CALLS.map(([start]) => start));
const TAGS = [...ENDS.keys(), ...ENDS_OF_THOUGHTS, ...SIGNS];
const LONGEST_TAG = Math.max(...[...TAGS, ...ENDS.values()].map(({ length }) => length));

/** Separates an answer that arrives in pieces from a model's markup: its thoughts, its calls and signs of its template. A tag may be split over pieces. */
export class AnswerMarkup {
  /** The tag whose end is awaited. */
  #open: string | undefined;
  /** What the open call contains so far. */
  #call = '';
  /** The end of what has arrived, where it may begin a tag. */
  #held = '';
  /** What was between the tags of calls. */
  readonly calls: string[] = [];

  /** @returns the text that belongs to the answer. */
  push(piece: string): string {
    let rest = this.#held + piece;
    let answer = '';
    for (;;) {
      const awaited = this.#open === undefined ? TAGS : [ENDS.get(this.#open) ?? ''];
      const tag = firstOf(awaited, rest);
      const until = tag?.at ?? splitTagAt(awaited, rest);
      if (this.#open === undefined) answer += rest.slice(0, until);
      else if (STARTS_OF_CALLS.has(this.#open)) this.#call += rest.slice(0, until);
      if (tag === undefined) {
        this.#held = rest.slice(until);
        return answer;
      }
      // Some templates write the opening tag for the model, and only the end arrives.
      if (this.#open === undefined && ENDS_OF_THOUGHTS.has(tag.name)) answer = '';
      rest = rest.slice(until + tag.name.length);
      if (this.#open !== undefined) this.#close();
      else if (ENDS.has(tag.name)) this.#open = tag.name;
    }
  }

  /** Call it at the end of the answer. @returns the rest of its text; a thought without an end is left out. */
  end(): string {
    if (this.#open === undefined) return this.#held;
    this.#call += this.#held;
    this.#close();
    return '';
  }

  #close(): void {
    if (this.#open !== undefined && STARTS_OF_CALLS.has(this.#open)) this.calls.push(this.#call);
    this.#open = undefined;
    this.#call = '';
  }
}

/** A whole answer without markup. */
export function withoutMarkup(answer: string): string {
  const markup = new AnswerMarkup();
  return markup.push(answer) + markup.end();
}

function firstOf(tags: readonly string[], text: string): { name: string; at: number } | undefined {
  const lower = text.toLowerCase();
  return tags
    .map((name) => ({ name, at: lower.indexOf(name) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0];
}

/** Where a tag begins whose rest may still arrive; the length of the text when there is none. */
function splitTagAt(tags: readonly string[], text: string): number {
  const lower = text.toLowerCase();
  for (let at = Math.max(0, lower.length - LONGEST_TAG + 1); at < lower.length; at++) {
    const start = lower.slice(at);
    if (tags.some((name) => name.startsWith(start))) return at;
  }
  return text.length;
}
