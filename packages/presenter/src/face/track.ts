import type {
  Expression,
  FaceTrack,
  FaceTrackInput,
  MouthPose,
  OwnMotion,
  Pose,
  PresenterState,
  SpokenStretch,
} from './contract.js';
import { gapOf } from './curves.js';
import { clamp, ms } from './easing.js';
import { lifeAt } from './life.js';
import { MouthCurves, PART_REACH, type SpeechMouth } from './mouth.js';
import { EXPRESSION_STYLES } from './styles.js';
import { PresenterSchedule } from './timeline.js';

/** Cached blocks of mouth curves: two minutes of a video, so that frames can be computed in any order. */
const VIDEO_BLOCKS = 64;
/** A stream only needs curves around the current time. */
const LIVE_BLOCKS = 3;

/** Half of the time in which fast lips are seen: a shutter open for half a frame at 25 frames/s. */
const SHUTTER = ms(10);
/** Change of the gap in that time, as a share of the widest open mouth's, from which a sharp picture shows steps, and the gap of parted lips. */
const SWEEP = 0.12;
const PARTED = 0.12;

/** Constants of a presenter's animation. */
interface Person {
  readonly seed: number;
  readonly expression: Expression;
  readonly motion: OwnMotion | undefined;
}

/** The animation of a finished piece of speech; `motion` the presenter's own movements, in place of generated ones. */
export function createFaceTrack(input: FaceTrackInput, motion?: OwnMotion): FaceTrack {
  const person: Person = { seed: input.seed | 0, expression: input.expression ?? 'neutral', motion };
  const timeline = new PresenterSchedule(person.seed, input.gestures);
  for (const stretch of [...input.stretches].sort((a, b) => a.start - b.start)) timeline.append(stretch);
  const mouth = new MouthCurves((from, to) => timeline.partsBetween(from, to), {
    maxBlocks: VIDEO_BLOCKS,
    jaw: EXPRESSION_STYLES[person.expression].jaw,
  });
  return { poseAt: (sample) => composePose({ timeline, mouth, person }, sample) };
}

/**
 * The animation of a live presenter. Poses are computed in order of time; added or cut speech changes only poses after the last
 * one, so that nothing jumps. Memory is bounded, because the past is removed.
 */
export interface LiveFace extends FaceTrack {
  /** Adds speech. Stretches come in order; if one starts before the last pose, its missed part is not shown. */
  addStretch(stretch: SpokenStretch): void;
  /** The present is at this sample, of which no pose is asked: another face shows it. */
  passTo(sample: number): void;
  /** Interrupts at a sample: the mouth closes within 250 ms, gestures fade, later speech is dropped. */
  cutAt(sample: number): void;
  /** Changes the state from a sample on, cross-fading. During speech the state is `speaking` in any case. */
  setState(state: PresenterState, atSample: number): void;
}

/** A face for a live session; `seed` any 32-bit integer, `motion` the presenter's own movements. */
export function createLiveFace(seed: number, expression: Expression = 'neutral', motion?: OwnMotion): LiveFace {
  const person: Person = { seed: seed | 0, expression, motion };
  const timeline = new PresenterSchedule(person.seed);
  const mouth = new MouthCurves((from, to) => timeline.partsBetween(from, to), {
    maxBlocks: LIVE_BLOCKS,
    jaw: EXPRESSION_STYLES[person.expression].jaw,
  });
  let shownUntil = 0;
  return {
    poseAt(sample) {
      shownUntil = Math.max(shownUntil, sample);
      return composePose({ timeline, mouth, person }, sample);
    },
    passTo(sample) {
      shownUntil = Math.max(shownUntil, sample);
    },
    addStretch(stretch) {
      timeline.prune(shownUntil);
      timeline.append(stretch, shownUntil);
      mouth.invalidate(Math.max(shownUntil, stretch.start - PART_REACH));
    },
    cutAt(sample) {
      const at = Math.max(sample, shownUntil);
      timeline.cut(at);
      mouth.invalidate(at);
    },
    setState(state, atSample) {
      timeline.prune(shownUntil);
      timeline.setState(state, Math.max(atSample, shownUntil));
    },
  };
}

/** Combines the layers: idle movements, then speech, then the smile where consonants leave the lips free. */
function composePose(face: { timeline: PresenterSchedule; mouth: MouthCurves; person: Person }, sample: number): Pose {
  const at = Math.max(0, sample);
  const { smile, speaking, ...life } = lifeAt(face.timeline, face.person, at);
  const spread = EXPRESSION_STYLES[face.person.expression].width * speaking;
  const shapeOf = (speech: SpeechMouth): MouthPose => mouthOf(speech, { smile, spread });
  const [before, speech, after] = [Math.max(0, at - SHUTTER), at, at + SHUTTER].map((time) => face.mouth.at(time)) as [
    SpeechMouth,
    SpeechMouth,
    SpeechMouth,
  ];
  // Closed lips are never blended: a closure is as short as a frame, and teeth would shine through the lips.
  const isSwept =
    Math.abs(gapOf(after) - gapOf(before)) > SWEEP && [before, speech, after].every((shape) => gapOf(shape) > PARTED);
  const mouth = shapeOf(speech);
  return { ...life, mouth: isSwept ? { ...mouth, swept: [shapeOf(before), shapeOf(after)] } : mouth };
}

/** The mouth of speech with a smile, and spread by an expression. */
function mouthOf(
  { open, width, consonants }: SpeechMouth,
  { smile, spread }: { smile: number; spread: number },
): MouthPose {
  let taken = 0;
  for (const weight of Object.values(consonants)) taken += weight;
  return {
    open,
    // Rounded vowels keep their shape; a smile only widens what is wide or neutral.
    width: clamp(width + spread * clamp(1 + 2 * width, 0, 1), -1, 1),
    consonants,
    smile: Math.max(0, Math.min(smile * (1 - Math.min(1, taken)), 1 - taken)),
  };
}
