import { escapeSsml, isSsml } from '@figurehead/sdk/document';

/** A script and the selection in it, as offsets of its characters. */
export interface Script {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const EMPHASIS = /^<emphasis(?:\s[^<>]*)?>([\s\S]*)<\/emphasis>$/;
const BREAK = /(<break\b[^<>]*>)/;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Inserts a pause after the selection; the cursor is behind it. */
export function withPause({ text, end }: Script): Script {
  const at = isSsml(text) ? Math.min(Math.max(end, text.indexOf('>') + 1), text.lastIndexOf('</')) : end;
  const before = text.slice(0, at);
  const pause = `${/\s$|^$|>$/.test(before) ? '' : ' '}<break time="0.5s"/> `;
  const next = at + pause.length;
  return { text: before + pause + text.slice(at).trimStart(), start: next, end: next };
}

/**
 * Emphasises the selection, or the word at the cursor; takes the emphasis away again when the selection has it already.
 * A plain script becomes SSML, because only there emphasis is a tag, and plain again when nothing but pauses is left.
 * `undefined` where there is no word.
 */
export function withEmphasis(script: Script): Script | undefined {
  const { start, end } = script.start === script.end ? wordAround(script) : trimmed(script);
  const isInTag = script.text.lastIndexOf('<', start - 1) > script.text.lastIndexOf('>', start - 1);
  if (start === end || (isInTag && start > 0)) return undefined;
  const { text, ...chosen } = asSsml({ text: script.text, start, end });
  const words = text.slice(chosen.start, chosen.end);
  const plain = EMPHASIS.exec(words)?.[1];
  const next = plain ?? `<emphasis>${words.replace(/<\/?emphasis[^<>]*>/g, '')}</emphasis>`;
  const whole = text.slice(0, chosen.start) + next + text.slice(chosen.end);
  return asPlain({ text: whole, start: chosen.start, end: chosen.start + next.length });
}

/** A script as SSML; in a plain one, only pauses are tags. */
function asSsml({ text, start, end }: Script): Script {
  if (isSsml(text)) return { text, start, end };
  const escaped = (part: string) =>
    part
      .split(BREAK)
      .map((piece, index) => (index % 2 ? piece : escapeSsml(piece)))
      .join('');
  const open = '<speak>';
  const at = (offset: number) => open.length + escaped(text.slice(0, offset)).length;
  return { text: `${open}${escaped(text)}</speak>`, start: at(start), end: at(end) };
}

/** A plain script again, when its only tags are those of a plain one. */
function asPlain({ text, start, end }: Script): Script {
  const inside = /^<speak>([\s\S]*)<\/speak>$/.exec(text)?.[1];
  const words = inside?.split(BREAK).filter((_piece, index) => index % 2 === 0);
  if (inside === undefined || words?.some((piece) => piece.includes('<'))) return { text, start, end };
  const plain = (part: string) => part.replace(/&(amp|lt|gt|quot|apos);/g, (_whole, name) => ENTITIES[name] ?? '');
  const at = (offset: number) => plain(text.slice('<speak>'.length, offset)).length;
  return { text: plain(inside), start: at(start), end: at(end) };
}

/** The word of letters and digits that the cursor touches. */
function wordAround({ text, start }: Script): { start: number; end: number } {
  const before =
    text
      .slice(0, start)
      .split(/[^\p{L}\p{N}'’-]/u)
      .at(-1)?.length ?? 0;
  const after = /^[\p{L}\p{N}'’-]*/u.exec(text.slice(start))?.[0].length ?? 0;
  return { start: start - before, end: start + after };
}

/** The selection without the spaces around it. */
function trimmed({ text, start, end }: Script): { start: number; end: number } {
  const chosen = text.slice(start, end);
  const left = chosen.length - chosen.trimStart().length;
  return { start: start + left, end: Math.max(start + left, end - (chosen.length - chosen.trimEnd().length)) };
}
