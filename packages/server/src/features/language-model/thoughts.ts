/** Names of the tags around thoughts, which reasoning models write before an answer and between its parts. */
const NAMES = ['think', 'thinking', 'thought', 'reasoning'];
/** Opening tags and their ends; Mistral's models write theirs in brackets. */
const ENDS: ReadonlyMap<string, string> = new Map([
  ...NAMES.map((name) => [`<${name}>`, `</${name}>`] as const),
  ['[think]', '[/think]'],
]);
const TAGS = [...ENDS.keys(), ...ENDS.values()];

/** Removes the thoughts from an answer that arrives in pieces; a tag may be split over pieces. */
export class ThoughtFilter {
  /** The end of the current thought. */
  #end: string | undefined;
  /** The end of what has arrived, where it may begin a tag. */
  #held = '';

  /** @returns the text that belongs to the answer. */
  push(piece: string): string {
    let rest = this.#held + piece;
    let answer = '';
    for (;;) {
      const awaited = this.#end === undefined ? TAGS : [this.#end];
      const tag = firstOf(awaited, rest);
      const until = tag?.at ?? splitTagAt(awaited, rest);
      if (this.#end === undefined) answer += rest.slice(0, until);
      if (tag === undefined) {
        this.#held = rest.slice(until);
        return answer;
      }
      // Some templates write the opening tag for the model, and only the end arrives.
      if (this.#end === undefined && !ENDS.has(tag.name)) answer = '';
      rest = rest.slice(until + tag.name.length);
      this.#end = ENDS.get(tag.name);
    }
  }

  /** Call it at the end of the answer. @returns the rest of its text; a thought without an end is left out. */
  end(): string {
    return this.#end === undefined ? this.#held : '';
  }
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
  const at = Math.max(text.lastIndexOf('<'), text.lastIndexOf('['));
  const start = text.slice(at).toLowerCase();
  return at >= 0 && tags.some((name) => name.startsWith(start)) ? at : text.length;
}
