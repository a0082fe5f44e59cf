import type { Expression, FaceTrack, FaceTrackInput, Pose, PresenterState, SpokenStretch } from './contract.js';
import { clamp } from './easing.js';
import { HEARD_REACH, heardAt } from './heard.js';
import { lifeAt } from './life.js';
import { MANNERS } from './manner.js';
import { MouthCurves, PART_REACH } from './mouth.js';
import { Timeline } from './timeline.js';

/** Blocks of mouth curves kept: two minutes of a video, so that frames may be asked for in any order. */
const VIDEO_BLOCKS = 64;
/** A stream only ever looks at the present and a little ahead. */
const LIVE_BLOCKS = 3;

/** What colours every pose of a presenter. */
interface Person {
  readonly seed: number;
  readonly expression: Expression;
}

/** The animation of a finished piece of speech. */
export function createFaceTrack(input: FaceTrackInput): FaceTrack {
  const person: Person = { seed: input.seed | 0, expression: input.expression ?? 'neutral' };
  const timeline = new Timeline(person.seed);
  for (const stretch of [...input.stretches].sort((a, b) => a.start - b.start)) timeline.append(stretch);
  const mouth = new MouthCurves((from, to) => timeline.partsBetween(from, to), {
    maxBlocks: VIDEO_BLOCKS,
    jaw: MANNERS[person.expression].jaw,
  });
  return { poseAt: (sample) => composePose({ timeline, mouth, person }, sample) };
}

/**
 * The animation of a presenter who is spoken to and answers. Poses are asked for in order of time; what is added or cut
 * changes only what comes after the last pose given, so that nothing jumps. Memory is bounded: the past is forgotten.
 */
export interface LiveFace extends FaceTrack {
  /** Adds speech. Stretches come in order; a start before the last pose is allowed, its missed part is not shown. */
  addStretch(stretch: SpokenStretch): void;
  /** Interrupts at a sample: the mouth closes within 250 ms, gestures settle, later speech is dropped. */
  cutAt(sample: number): void;
  /** Changes the state from a sample on, cross-fading. While speech sounds, the presenter is a speaker in any state. */
  setState(state: PresenterState, atSample: number): void;
}

/** A face for a live session; `seed` any 32-bit integer. */
export function createLiveFace(seed: number, expression: Expression = 'neutral'): LiveFace {
  const person: Person = { seed: seed | 0, expression };
  const timeline = new Timeline(person.seed);
  const mouth = new MouthCurves((from, to) => timeline.partsBetween(from, to), {
    maxBlocks: LIVE_BLOCKS,
    jaw: MANNERS[person.expression].jaw,
  });
  let shownUntil = 0;
  return {
    poseAt(sample) {
      shownUntil = Math.max(shownUntil, sample);
      return composePose({ timeline, mouth, person }, sample);
    },
    addStretch(stretch) {
      timeline.forget(shownUntil);
      timeline.append(stretch, shownUntil);
      mouth.invalidate(Math.max(shownUntil, stretch.start - PART_REACH));
    },
    cutAt(sample) {
      const at = Math.max(sample, shownUntil);
      timeline.cut(at);
      mouth.invalidate(at);
    },
    setState(state, atSample) {
      timeline.forget(shownUntil);
      timeline.setState(state, Math.max(atSample, shownUntil));
    },
  };
}

/** A pose that can still say what is heard; the function is no part of what poses are compared and copied by. */
function listening(pose: Pose, timeline: Timeline, sample: number): Pose {
  return Object.defineProperty(pose, 'heard', {
    value: () => heardAt(timeline.partsBetween(sample - HEARD_REACH, sample + HEARD_REACH), sample),
  });
}

/** Lays the layers over one another: life, then speech, then the smile where lips are free. */
function composePose(face: { timeline: Timeline; mouth: MouthCurves; person: Person }, sample: number): Pose {
  const at = Math.max(0, sample);
  const { smile, speaking, ...life } = lifeAt(face.timeline, face.person, at);
  const manner = MANNERS[face.person.expression];
  const speech = face.mouth.at(at);
  let taken = 0;
  for (const weight of Object.values(speech.consonants)) taken += weight;
  // Rounded vowels keep their shape; a smile only widens what is wide or neutral.
  const widened = speech.width + manner.width * speaking * clamp(1 + 2 * speech.width, 0, 1);
  const pose: Pose = {
    ...life,
    mouth: {
      open: speech.open,
      width: clamp(widened, -1, 1),
      consonants: speech.consonants,
      smile: Math.max(0, Math.min(smile * (1 - Math.min(1, taken)), 1 - taken)),
    },
  };
  return listening(pose, face.timeline, at);
}
