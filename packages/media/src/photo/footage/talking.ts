import type { MouthShape } from './mouth-shapes.js';
import { refusal } from './tracking.js';

/** Speech that a presenter can be made from, seconds. */
const LEAST_SECONDS = 6;

/** Change of the opening, 0…1, from which it is a movement of speech rather than an error of the tracking. */
const SWING = 0.2;

/** Longest time between two turns of the opening in speech, seconds, besides one interval of the frames: a long vowel. */
const LONGEST_GAP = 0.8;

/** Turns of the opening in a row that are speech: two syllables. A yawn, a smile or a lick of the lips has fewer. */
const LEAST_TURNS = 4;

/** A stretch of the film in which the person speaks, seconds. */
interface Talk {
  readonly start: number;
  readonly end: number;
}

/**
 * Refuses a film whose person hardly speaks, judged by the rhythm of the mouth alone, so also without sound, under music, and with another person's
 * voice.
 * @throws PortraitRefused with the second from which the person is silent for longest.
 */
export function refuseSilent(shapes: readonly MouthShape[]): void {
  const talks = findTalks(shapes);
  const seconds = talks.reduce((sum, { start, end }) => sum + end - start, 0);
  if (seconds >= LEAST_SECONDS) return;
  throw refusal(
    `The mouth moves as in speech for ${Math.round(seconds)} s only; the video must show the person speaking for at least ${LEAST_SECONDS} s`,
    longestSilence(shapes, talks),
  );
}

/** Stretches in which the mouth opens and closes again and again. */
function findTalks(shapes: readonly MouthShape[]): readonly Talk[] {
  const interval = (lastOf(shapes) - firstOf(shapes)) / Math.max(1, shapes.length - 1);
  const talks: Talk[] = [];
  let run: number[] = [];
  const finish = (): void => {
    if (run.length >= LEAST_TURNS) talks.push({ start: run[0]!, end: run.at(-1)! });
    run = [];
  };
  for (const seconds of findTurns(shapes)) {
    if (run.length > 0 && seconds - run.at(-1)! > LONGEST_GAP + interval) finish();
    run.push(seconds);
  }
  finish();
  return talks;
}

/** Times at which the mouth is most or least open between two movements, seconds. */
function findTurns(shapes: readonly MouthShape[]): readonly number[] {
  const turns: number[] = [];
  const [first] = shapes;
  if (first === undefined) return turns;
  let direction = 0;
  let extreme = first;
  for (const shape of shapes) {
    const moved = shape.open - extreme.open;
    if (direction === 0 ? Math.abs(moved) >= SWING : moved * direction <= -SWING) {
      turns.push(extreme.frame.seconds);
      direction = Math.sign(moved);
      extreme = shape;
    } else if (moved * direction > 0) extreme = shape;
  }
  return turns;
}

function longestSilence(shapes: readonly MouthShape[], talks: readonly Talk[]): number {
  const starts = [firstOf(shapes), ...talks.map(({ end }) => end)];
  const ends = [...talks.map(({ start }) => start), lastOf(shapes)];
  const lengths = starts.map((start, i) => ends[i]! - start);
  return starts[lengths.indexOf(Math.max(...lengths))]!;
}

function firstOf(shapes: readonly MouthShape[]): number {
  return shapes[0]?.frame.seconds ?? 0;
}

function lastOf(shapes: readonly MouthShape[]): number {
  return shapes.at(-1)?.frame.seconds ?? 0;
}
