import type { Slide } from '@figurehead/sdk';
import {
  anchorOf,
  type CanvasObject,
  type ENTRANCES,
  type EXITS,
  isRecorded,
  leadInSeconds,
  SILENT_SECONDS,
  spokenSeconds,
  TAIL_SECONDS,
  type WordAnchor,
  withoutTags,
  wordAt,
} from '@figurehead/sdk/document';

/** A spoken word, in seconds of its speech. */
export interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The speech of a slide: measured, or estimated from its letters until it has been synthesized. */
export interface SpokenTrack {
  readonly words: readonly Word[];
  /** Seconds. */
  readonly duration: number;
  /** URL of its sound; absent while the times are estimates. */
  readonly url?: string;
}

/** Timing of a slide. */
export interface SlideClock {
  readonly track: SpokenTrack | undefined;
  /** Second of the slide at which its speech begins. */
  readonly lead: number;
  /** Length of the slide, seconds. */
  readonly length: number;
}

/** Visible time of an object in seconds of its slide, with the words that it is anchored to. */
export interface ObjectSpan {
  readonly start: number;
  readonly end: number;
  readonly startWord: WordAnchor | undefined;
  readonly exitWord: WordAnchor | undefined;
}

/** A time, and the word it is anchored to. */
export interface Moment {
  readonly second: number;
  readonly word: WordAnchor | undefined;
}

/** Times closer than this count as equal, seconds. */
const HAIR = 0.03;

/** Estimated times of the words of a speech, proportional to their letters. A recording without a script has no words, and any length. */
export function guessedTrack(slide: Slide): SpokenTrack | undefined {
  const texts = withoutTags(slide.speech ?? '')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
  const duration = spokenSeconds(texts.join(' '));
  if (isRecorded(slide) && !slide.recording) return undefined;
  if (texts.length === 0) return isRecorded(slide) ? { words: [], duration: SILENT_SECONDS } : undefined;
  const weights = texts.map((text) => text.length + 2);
  const perWeight = duration / weights.reduce((sum, weight) => sum + weight, 0);
  let at = 0;
  const words = texts.map((text, index) => {
    const start = at;
    at += (weights[index] ?? 0) * perWeight;
    return { text, start, end: at };
  });
  return { words, duration };
}

/** Timing of a slide, as in rendering. */
export function clockOf(slide: Slide, track: SpokenTrack | undefined, fps: number): SlideClock {
  const lead = leadInSeconds(fps);
  const spoken = track === undefined ? 0 : lead + track.duration + TAIL_SECONDS;
  const wanted = slide.duration ?? (track === undefined ? SILENT_SECONDS : 0);
  return { track, lead, length: Math.max(spoken, wanted, 0.5) };
}

interface StoredAnimation {
  readonly [key: string]: unknown;
}

function animationOf(object: CanvasObject): StoredAnimation {
  const { animation } = object;
  return typeof animation === 'object' && animation !== null ? animation : { type: animation ?? 'none' };
}

function anchorIn(value: unknown): WordAnchor | undefined {
  if (typeof value === 'string') return value.trim() ? { text: value, nth: 1 } : undefined;
  if (typeof value !== 'object' || value === null || !('text' in value)) return undefined;
  return { text: String(value.text), nth: 'nth' in value ? Number(value.nth) : 1 };
}

/** Visible time of an object. */
export function spanOf(object: CanvasObject, { track, lead, length }: SlideClock): ObjectSpan {
  const animation = animationOf(object);
  const [startWord, exitWord] = [anchorIn(animation['startWord']), anchorIn(animation['exitWord'])];
  const secondOf = (anchor: WordAnchor | undefined) => {
    const word = anchor && wordAt(track?.words ?? [], anchor);
    return word && lead + word.start;
  };
  const exitTime = Number(animation['exitTime'] ?? -1);
  return {
    startWord,
    exitWord,
    start: secondOf(startWord) ?? Number(animation['startTime'] ?? animation['delay'] ?? 0),
    end: Math.min(length, secondOf(exitWord) ?? (exitTime < 0 ? length : exitTime)),
  };
}

/** A change of an object's animation. */
export interface SpanChange {
  readonly start?: Moment;
  readonly end?: Moment;
  readonly entrance?: keyof typeof ENTRANCES;
  readonly exit?: keyof typeof EXITS;
}

/** The `animation` of an object after a change. The start and the end of a slide are stored without a time. */
export function withSpan(
  object: CanvasObject,
  change: SpanChange,
  { length }: SlideClock,
): NonNullable<CanvasObject['animation']> {
  const next: Record<string, unknown> = { ...animationOf(object) };
  if (change.entrance) next['type'] = change.entrance;
  if (change.exit) next['exitType'] = change.exit;
  if (change.start) {
    delete next['delay'];
    const isStart = change.start.second <= HAIR && !change.start.word;
    set(next, 'startTime', isStart ? undefined : rounded(change.start.second));
    set(next, 'startWord', change.start.word);
  }
  if (change.end) {
    const isEnd = change.end.second >= length - HAIR && !change.end.word;
    set(next, 'exitTime', isEnd ? undefined : rounded(change.end.second));
    set(next, 'exitWord', change.end.word);
  }
  if (next['exitType'] === 'none') delete next['exitType'];
  const { type = 'none', ...rest } = next;
  return Object.keys(rest).length === 0 ? (type as string) : { type, ...rest };
}

function set(record: Record<string, unknown>, key: string, value: unknown): void {
  if (value === undefined) delete record[key];
  else record[key] = value;
}

/** Snaps a time of the slide to a word that begins within `reach` seconds. */
export function drawnToWord(second: number, { track, lead, length }: SlideClock, reach: number): Moment {
  const within = Math.min(length, Math.max(0, second));
  const words = track?.words ?? [];
  let best = -1;
  for (const [index, word] of words.entries()) {
    const away = Math.abs(lead + word.start - within);
    if (away <= reach && (best < 0 || away < Math.abs(lead + (words[best]?.start ?? 0) - within))) best = index;
  }
  return best < 0 ? { second: rounded(within), word: undefined } : momentOfWord(best, { track, lead, length });
}

/** The start of the word with this index. */
export function momentOfWord(index: number, { track, lead }: SlideClock): Moment {
  const words = track?.words ?? [];
  return { second: rounded(lead + (words[index]?.start ?? 0)), word: anchorOf(words, index) };
}

/** The previous or next word from a time; the time itself when there is none. */
export function nextWord(second: number, by: 1 | -1, clock: SlideClock): Moment {
  const starts = (clock.track?.words ?? []).map((word, index) => ({ at: clock.lead + word.start, index }));
  const found = by > 0 ? starts.find(({ at }) => at > second + HAIR) : starts.findLast(({ at }) => at < second - HAIR);
  if (found !== undefined) return momentOfWord(found.index, clock);
  return { second: by > 0 ? clock.length : 0, word: undefined };
}

function rounded(second: number): number {
  return Math.round(second * 100) / 100;
}
