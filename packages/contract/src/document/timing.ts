import { segmentsOf } from './segments.js';

/** Pause before a slide's first word and after its last, in seconds, because cuts inside a breath look abrupt. */
export const LEAD_IN_SECONDS = 0.3;
/** See {@link LEAD_IN_SECONDS}. */
export const TAIL_SECONDS = 0.5;
/** Seconds for which a slide without speech and duration is shown. */
export const SILENT_SECONDS = 3;

/** Seconds of a slide before its speech begins: whole frames, so that sound and picture start together. */
export function leadInSeconds(fps: number): number {
  return Math.round(LEAD_IN_SECONDS * fps) / fps;
}

/** English has about 155 words per minute. */
const WORDS_PER_SECOND = 155 / 60;

/** A script as people read it, without its tags. */
export function withoutTags(script: string): string {
  // Tags inside a sentence leave its words and signs together.
  return script.replace(/<\/?(?:break|p|s)\b[^<>]*>/g, ' ').replace(/<[^<>]*>/g, '');
}

/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Number of words in a text. */
export function wordCount(text: string): number {
  const spaced = text.split(/\s+/).filter(Boolean);
  if (!UNSPACED.test(text)) return spaced.length;
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  const wordsIn = (part: string) => [...segmentsOf(part, segmenter)].filter(({ isWordLike }) => isWordLike).length;
  return spaced.reduce((sum, part) => sum + (UNSPACED.test(part) ? wordsIn(part) : 1), 0);
}

/** Approximate length of a spoken text, seconds; 0 for an empty one. */
export function spokenSeconds(text: string): number {
  const words = wordCount(text);
  return words === 0 ? 0 : Math.max(1, words / WORDS_PER_SECOND);
}

/** Approximate length of a script with its pauses, seconds; 0 for one that says nothing. */
export function scriptSeconds(script: string): number {
  const spoken = spokenSeconds(withoutTags(script));
  if (spoken === 0) return 0;
  const pauses = script.matchAll(/<break\b[^<>]*\btime="(\d+(?:\.\d+)?)(ms|s)"/g);
  return [...pauses].reduce((sum, [, time, unit]) => sum + Number(time) / (unit === 'ms' ? 1000 : 1), spoken);
}
