import { samplesToSeconds } from '@figurehead/presenter/time';
import type { Cue } from '../../encode/contract.js';
import type { WordMark } from '../../speech/contract.js';

/** Common broadcast limits: two lines of 42 characters, on screen for at most seven seconds. */
const LINE_CHARACTERS = 42;
const CUE_CHARACTERS = 2 * LINE_CHARACTERS;
const LONGEST_SECONDS = 7;
/** At the end of a sentence a cue of at least this length ends; shorter sentences share a cue. */
const SENTENCE_CHARACTERS = 20;
/** A cue stays this much longer than its last word, unless the next one starts. */
const LINGER_SECONDS = 0.3;
const PAUSE_SECONDS = 0.8;

/** Padding of entities in `shownText`. */
const FILLER = '\u2060';

/** A word with the punctuation around it. */
interface CueWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** White space precedes it. */
  readonly spaced: boolean;
}

/**
 * Subtitle lines for one slide's speech. `words` are marks into `text`; `place` is the start of the speech and the end
 * of its slide on the video's clock. Cues do not overlap.
 */
export function cuesOf(
  text: string,
  words: readonly WordMark[],
  place: { readonly startSample: number; readonly endSeconds: number },
): Cue[] {
  const offset = samplesToSeconds(place.startSample);
  const groups = group(withPunctuation(text, words, offset));
  return groups.flatMap((cueWords, index): Cue[] => {
    const [first, last] = [cueWords[0], cueWords.at(-1)];
    if (first === undefined || last === undefined) return [];
    const next = groups[index + 1]?.[0]?.start ?? place.endSeconds;
    const end = Math.min(next, last.end + LINGER_SECONDS);
    return [
      {
        start: first.start,
        end: Math.max(end, first.start + 0.04),
        text: breakLines(cueWords),
        words: cueWords.map((word) => ({ text: word.text, start: word.start, end: word.end })),
      },
    ];
  });
}

/** Each word gets the punctuation after it, also with white space between (` ?`, ` –`), and opening punctuation before it. */
function withPunctuation(text: string, words: readonly WordMark[], offset: number): CueWord[] {
  const gaps = [...words, undefined].map((word, index) =>
    text.slice(words[index - 1]?.textEnd ?? 0, word?.textStart ?? text.length),
  );
  return words.map((word, index) => {
    const before = gaps[index] ?? '';
    const prefix = index === 0 ? openingOf(before) : dividedAt(before).prefix;
    const after = gaps[index + 1] ?? '';
    const suffix = index + 1 < words.length ? dividedAt(after).suffix : spacesOf(after.trimEnd());
    return {
      text: `${prefix}${word.text}${suffix}`.replaceAll(FILLER, ''),
      start: offset + samplesToSeconds(word.start),
      end: offset + samplesToSeconds(word.end),
      spaced: index === 0 || /\s/.test(before),
    };
  });
}

/** What of a gap between words belongs to the one before it; without a space, all of it. What opens something or a line belongs to the next one. */
function dividedAt(gap: string): { readonly suffix: string; readonly prefix: string } {
  if (!/\s/.test(gap)) return { suffix: gap, prefix: '' };
  const line = Math.max(gap.lastIndexOf('\n'), gap.lastIndexOf('\r'));
  const prefix = line < 0 ? openingOf(gap) : spacesOf(gap.slice(line + 1).trimStart());
  return {
    suffix: spacesOf(gap.slice(0, gap.length - (line < 0 ? prefix.length : gap.length - line)).trimEnd()),
    prefix,
  };
}

/** The opening punctuation at the end of a gap, with what is glued to the next word. */
function openingOf(gap: string): string {
  const glued = gap.split(/\s/).at(-1) ?? '';
  const [free = ''] =
    /(?:^|(?<=\s))[\p{Ps}\p{Pi}„‚][ \u00a0\u202f]$/u.exec(gap.slice(0, gap.length - glued.length).slice(-3)) ?? [];
  return free + glued;
}

/** White space of one width; spaces that do not break stay. */
function spacesOf(text: string): string {
  return text.replace(/[^\S\u00a0\u202f]{1,80}/g, ' ');
}

function group(words: readonly CueWord[]): CueWord[][] {
  const groups: CueWord[][] = [];
  let current: CueWord[] = [];
  for (const word of words) {
    const last = current.at(-1);
    const first = current[0];
    if (first !== undefined && last !== undefined) {
      const joined = lengthOf([...current, word]);
      const isLong =
        joined > CUE_CHARACTERS || word.end - first.start > LONGEST_SECONDS || !fitsTwoLines([...current, word]);
      const isSentence = /[.!?…。！？]["'”’)]*$/.test(last.text) && lengthOf(current) >= SENTENCE_CHARACTERS;
      if (isLong || isSentence || word.start - last.end > PAUSE_SECONDS) {
        groups.push(current);
        current = [];
      }
    }
    current.push(word);
  }
  if (current.length > 0) groups.push(current);
  return groups;
}

function join(words: readonly CueWord[]): string {
  return words.map((word, index) => (index > 0 && word.spaced ? ` ${word.text}` : word.text)).join('');
}

function lengthOf(words: readonly CueWord[]): number {
  return join(words).length;
}

function fitsTwoLines(words: readonly CueWord[]): boolean {
  return words.length < 2 || lengthOf(words) <= LINE_CHARACTERS || splitAt(words) !== null;
}

/** The split into two lines with the least difference in length, preferably after a comma; null when none fits. */
function splitAt(words: readonly CueWord[]): number | null {
  let best: { at: number; cost: number } | null = null;
  for (let at = 1; at < words.length; at++) {
    const [first, second] = [lengthOf(words.slice(0, at)), lengthOf(words.slice(at))];
    if (first > LINE_CHARACTERS || second > LINE_CHARACTERS) continue;
    const comma = /[,;:，、；：]$/.test(words[at - 1]?.text ?? '') ? 12 : 0;
    const cost = Math.abs(first - second) - comma;
    if (best === null || cost < best.cost) best = { at, cost };
  }
  return best?.at ?? null;
}

function breakLines(words: readonly CueWord[]): string {
  if (lengthOf(words) <= LINE_CHARACTERS) return join(words);
  const at = splitAt(words);
  return at === null ? join(words) : `${join(words.slice(0, at))}\n${join(words.slice(at))}`;
}
