/** A script and the selection in it, as offsets of its characters. */
export interface Script {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const EMPHASIS = /^<emphasis(?:\s[^<>]*)?>([\s\S]*)<\/emphasis>$/;

/** Inserts a pause after the selection; the cursor is behind it. */
export function withPause({ text, end }: Script): Script {
  const before = text.slice(0, end);
  const pause = `${/\s$|^$/.test(before) ? '' : ' '}<break time="0.5s"/> `;
  const at = end + pause.length;
  return { text: before + pause + text.slice(end).trimStart(), start: at, end: at };
}

/**
 * Emphasises the selection, or the word at the cursor; takes the emphasis away again when the selection has it already.
 * `undefined` where there is no word.
 */
export function withEmphasis(script: Script): Script | undefined {
  const { text } = script;
  const { start, end } = script.start === script.end ? wordAround(script) : trimmed(script);
  if (start === end) return undefined;
  const chosen = text.slice(start, end);
  const plain = EMPHASIS.exec(chosen)?.[1];
  const next = plain ?? `<emphasis>${chosen.replace(/<\/?emphasis[^<>]*>/g, '')}</emphasis>`;
  return { text: text.slice(0, start) + next + text.slice(end), start, end: start + next.length };
}

/** The word of letters and digits that the cursor touches. */
function wordAround({ text, start }: Script): { start: number; end: number } {
  const before = /[\p{L}\p{N}'’-]*$/u.exec(text.slice(0, start))?.[0].length ?? 0;
  const after = /^[\p{L}\p{N}'’-]*/u.exec(text.slice(start))?.[0].length ?? 0;
  return { start: start - before, end: start + after };
}

/** The selection without the spaces around it. */
function trimmed({ text, start, end }: Script): { start: number; end: number } {
  const chosen = text.slice(start, end);
  const left = chosen.length - chosen.trimStart().length;
  return { start: start + left, end: Math.max(start + left, end - (chosen.length - chosen.trimEnd().length)) };
}
