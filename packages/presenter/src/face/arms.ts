import { ENERGY_HOP } from '../marks.js';
import { ARMS, type Arm, type ArmMotion, type ArmPose, type Pose } from './contract.js';
import { ms, smoothstep } from './easing.js';
import { ending, type GestureInput, isStressedVowel } from './gestures.js';
import type { Lifetime, Phrase } from './movement.js';
import { CHANCE, uniform } from './random.js';

/** Preparation before the stressed vowel, the stroke down onto it, and its rebound (Kendon 2004: preparation, stroke, hold, retraction). */
const TIMES = { rise: ms(400), stroke: ms(140), rebound: ms(240), hold: ms(620), fall: ms(680), cut: ms(420) } as const;
/** The arm may leave its rest this long before the first word of a phrase: people prepare a gesture while they inhale. */
const AHEAD = ms(220);
/** Least rest between two gestures, and what chance adds to it. */
export const REST_LEAST = ms(2000);
const REST_MORE = ms(1600);
/** A gesture may wait this long for a heavier stress. */
const CHOICE = ms(1800);
/** How low a beat comes down on its vowel and how high it rebounds, as shares of its height. */
const BEAT = { low: 0.42, high: 0.72 } as const;
/** Least distance of two strokes of one gesture, and most strokes. */
const STROKES = { apart: ms(520), most: 3 } as const;

/**
 * How far a gesture goes. An open palm at full length leaves the picture of a large person.
 */
const SIZES = [0.8, 1] as const;

/** A gesture of one or both arms: leaves the rest at `start`, reaches its strokes, and is back at rest at `end`. */
export interface ArmGesture {
  readonly start: number;
  readonly end: number;
  readonly motion: ArmMotion;
  readonly arms: readonly Arm[];
  /** Samples of the stressed vowels it marks, rising. */
  readonly strokes: readonly number[];
  /** 0…1, how far it goes. */
  readonly size: number;
  readonly lifetime: Lifetime;
}

/** A stressed vowel with the word around it. */
interface Stress {
  readonly at: number;
  /** Loudness and length of its word. */
  readonly weight: number;
}

/**
 * The gestures of a stretch, on heavy stresses, with a rest of seconds between them, none before
 * `restedAt`. A question opens the palms, a list beats its items, an exclamation takes both arms; chance chooses between what fits.
 */
export function findArmGestures(input: GestureInput, phrases: readonly Phrase[], restedAt: number): ArmGesture[] {
  const { seed, lifetime } = input;
  const gestures: ArmGesture[] = [];
  const stresses = stressesOf(input);
  let free = Math.max(restedAt, lifetime.knownAt);
  for (const phrase of phrases) {
    for (;;) {
      const earliest = Math.max(free, phrase.start - AHEAD) + TIMES.rise;
      const within = stresses.filter(({ at }) => at >= earliest && at < phrase.end - ms(60));
      const gesture = gestureOn(within, phrase, input);
      if (gesture === undefined) break;
      gestures.push(gesture);
      free = gesture.end + REST_LEAST + REST_MORE * uniform(seed, CHANCE.armRest, gesture.start);
    }
  }
  return gestures;
}

/** A gesture on the heaviest of the next stresses of a phrase. */
function gestureOn(stresses: readonly Stress[], phrase: Phrase, input: GestureInput): ArmGesture | undefined {
  const { seed, lifetime } = input;
  const last = (stresses[0]?.at ?? 0) + CHOICE;
  const near = stresses.filter(({ at }) => at <= last);
  const heaviest = near.reduce<Stress | undefined>((a, b) => (a && a.weight >= b.weight ? a : b), undefined);
  if (heaviest === undefined) return undefined;
  const { at } = heaviest;
  const { motion, arms, isLong } = shapeOf(input, at);
  const again = uniform(seed, CHANCE.armAgain, at) < 0.4 ? 2 : 1;
  const most = motion !== 'beat' ? 1 : isLong ? STROKES.most : again;
  const strokes = [at];
  for (const next of stresses) {
    if (strokes.length < most && next.at >= strokes.at(-1)! + STROKES.apart) strokes.push(next.at);
  }
  const done = strokes.at(-1)!;
  const end = Math.min(done + TIMES.hold, Math.max(phrase.end, done + TIMES.rebound)) + TIMES.fall;
  const isSmall = motion === 'open' || uniform(seed, CHANCE.armSize, at) < 0.5;
  return { start: at - TIMES.rise, end, motion, arms, strokes, size: SIZES[isSmall ? 0 : 1], lifetime };
}

function stressesOf({ stretch, phones }: GestureInput): Stress[] {
  const { words } = stretch.marks;
  let word = 0;
  return phones.filter(isStressedVowel).map(({ start, end }) => {
    while (word + 1 < words.length && words[word + 1]!.start <= start - stretch.start) word++;
    const around = words[word];
    const length = around && around.end > start - stretch.start ? around.end - around.start : end - start;
    const loud = stretch.energy[Math.floor((start - stretch.start + (end - start) / 2) / ENERGY_HOP)] ?? 0.5;
    return { at: start, weight: loud * (1 + Math.min(length, ms(700)) / ms(350)) };
  });
}

/** What the sentence around a stress asks for. */
function shapeOf(
  { stretch, seed }: GestureInput,
  at: number,
): { motion: ArmMotion; arms: readonly Arm[]; isLong: boolean } {
  const { words } = stretch.marks;
  const here = words.findIndex((word) => word.end > at - stretch.start);
  const last = here < 0 ? -1 : words.findIndex((word, i) => i >= here && ending(word.text) !== undefined);
  let first = Math.max(here, 0);
  while (first > 0 && ending(words[first - 1]!.text) === undefined) first--;
  const sentence = words.slice(first, last < 0 ? undefined : last + 1).map(({ text }) => text);
  const isList = sentence.filter((text) => /[,;、，]$/u.test(text)).length >= 2;
  const close = sentence.at(-1) ?? '';
  const chance = uniform(seed, CHANCE.armMotion, at);
  const hand: Arm = uniform(seed, CHANCE.armSide, at) < 0.6 ? preferred(seed) : other(preferred(seed));
  const isQuestion = /[?？؟]/u.test(close);
  const motion: ArmMotion = isQuestion
    ? 'open'
    : isList
      ? 'beat'
      : chance < 0.5
        ? 'beat'
        : chance < 0.84
          ? 'open'
          : 'point';
  const isBoth =
    motion !== 'point' && (/[!！]/u.test(close) || uniform(seed, CHANCE.armBoth, at) < (isQuestion ? 0.6 : 0.42));
  return { motion, arms: isBoth ? ARMS : [hand], isLong: isList };
}

const preferred = (seed: number): Arm => (uniform(seed, CHANCE.armSide, -1) < 0.5 ? 'left' : 'right');
const other = (arm: Arm): Arm => (arm === 'left' ? 'right' : 'left');

/** The arms at a sample; `undefined` while they are at rest. */
export function armsAt(gestures: readonly ArmGesture[], sample: number): Pose['arms'] {
  const arms: Partial<Record<Arm, ArmPose>> = {};
  for (const gesture of gestures) {
    const { start, end, lifetime, motion } = gesture;
    // What was not known when it should have begun, or was interrupted before, does not happen.
    if (sample <= start || sample >= end || start < lifetime.knownAt || start >= lifetime.cutAt) continue;
    const kept = lifetime.cutAt === Infinity ? 1 : 1 - smoothstep(lifetime.cutAt, lifetime.cutAt + TIMES.cut, sample);
    const amount = kept * gesture.size * shapeAt(gesture, Math.min(sample, lifetime.cutAt));
    if (amount > 0) for (const arm of gesture.arms) arms[arm] = { motion, amount };
  }
  return arms.left || arms.right ? arms : undefined;
}

/** Height of a gesture at a sample, 0…1. */
function shapeAt({ start, end, motion, strokes }: ArmGesture, sample: number): number {
  const lastStroke = strokes.at(-1)!;
  const fallAt = end - TIMES.fall;
  const first = strokes[0]!;
  if (motion !== 'beat') {
    // A palm or a finger arrives with the vowel and is held.
    return smoothstep(start, first, sample) * (1 - smoothstep(fallAt, end, sample));
  }
  let height = smoothstep(start, first - TIMES.stroke, sample);
  for (const stroke of strokes) {
    const down = smoothstep(stroke - TIMES.stroke, stroke, sample);
    const up = smoothstep(stroke, stroke + TIMES.rebound, sample);
    const from = stroke === first ? 1 : BEAT.high;
    if (sample > stroke - TIMES.stroke) height = from + (BEAT.low - from) * down + (BEAT.high - BEAT.low) * up;
  }
  const held = Math.max(fallAt, lastStroke + TIMES.rebound);
  return height * (1 - smoothstep(held, Math.max(end, held + 1), sample));
}
