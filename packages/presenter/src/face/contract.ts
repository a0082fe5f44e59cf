import type { Expression } from '@figurehead/contract/document';
import type { Marks } from '../marks.js';

export type { Expression };

/** Consonant shapes for which a presenter pack has separate pictures (OpenXR viseme names). */
export const CONSONANT_SHAPES = ['PP', 'FF', 'TH', 'DD', 'nn', 'SS', 'CH', 'RR'] as const;

export type ConsonantShape = (typeof CONSONANT_SHAPES)[number];

/**
 * The mouth in the pack's basis: a point on the opening × width grid, blended with consonant shapes and the smile.
 * The weights in `consonants` and `smile` sum to at most 1; the grid point gets the rest.
 */
export interface MouthPose {
  /** 0 closed … 1 wide open. */
  readonly open: number;
  /** −1 rounded … 0 neutral … +1 spread. */
  readonly width: number;
  /** Weights 0…1; absent means 0. */
  readonly consonants: Readonly<Partial<Record<ConsonantShape, number>>>;
  /** 0…1. */
  readonly smile: number;
  /** Where the mouth moves fast: its shapes as the shutter opens and closes. The picture is their mean, as a camera's. */
  readonly swept?: readonly [MouthPose, MouthPose];
}

/** Arms as seen on the screen. */
export const ARMS = ['left', 'right'] as const;
export type Arm = (typeof ARMS)[number];

/** Movements of an arm for which a body has pictures: a beat with the side of the hand, an opening palm, a raised finger. */
export const ARM_MOTIONS = ['beat', 'open', 'point'] as const;
export type ArmMotion = (typeof ARM_MOTIONS)[number];

/** An arm on its way from the rest (0) to the end of a motion (1). */
export interface ArmPose {
  readonly motion: ArmMotion;
  readonly amount: number;
}

/** Everything that moves in a presenter at one instant. Pixel quantities are for a plate 1080 px high. */
export interface Pose {
  readonly mouth: MouthPose;
  /** Eyelids: 0 open … 1 closed. */
  readonly lids: number;
  /** Gaze in degrees: x to the right of the picture, y up; within ±8. */
  readonly gaze: { readonly x: number; readonly y: number };
  /** Rotation in radians (yaw ±0.26, pitch ±0.1, roll ±0.07) and shift in px. */
  readonly head: {
    readonly yaw: number;
    readonly pitch: number;
    readonly roll: number;
    readonly x: number;
    readonly y: number;
  };
  /** Rise of chest and head in px. */
  readonly breath: number;
  /** Sideways shift of the upper body in px. */
  readonly sway: number;
  /** Brow lift, −0.5 lowered … 1 raised. */
  readonly brow: number;
  /** Arms that are not at rest; seen in packs with a body. */
  readonly arms?: Readonly<Partial<Record<Arm, ArmPose>>>;
}

/** State of the presenter; states cross-fade within 300 ms. */
export type PresenterState = 'idle' | 'listening' | 'thinking' | 'speaking';

/** A stretch of speech on the face's clock: `marks` are relative to `start`, a sample of the track. */
export interface SpokenStretch {
  readonly start: number;
  readonly samples: number;
  readonly marks: Marks;
  /** Loudness of the speech, one value 0…1 every `ENERGY_HOP` samples from `start`. */
  readonly energy: Float32Array;
}

/** How a filmed person moves: a stretch of the film that is repeated, and how often they blink. */
export interface OwnMotion {
  /** Values per second. */
  readonly rate: number;
  /** Rotation from the resting attitude in radians, as many values for each axis; the last one is followed by the first. */
  readonly yaw: readonly number[];
  readonly pitch: readonly number[];
  readonly roll: readonly number[];
  readonly blinksPerMinute: number;
}

/** Input of a face track; structured-cloneable. */
export interface FaceTrackInput {
  /** Any 32-bit integer: same input and seed, same poses. */
  readonly seed: number;
  readonly stretches: readonly SpokenStretch[];
  readonly expression?: Expression;
  /** `false`: the arms stay at rest. */
  readonly gestures?: boolean;
}

/** The animation of one presenter over time. Pure: `poseAt(s)` depends on the input and `s` only, in any order of calls. */
export interface FaceTrack {
  /** Pose at a sample of the track (≥ 0). */
  poseAt(sample: number): Pose;
}
