import type { PresenterPack } from '@figurehead/presenter';
import type { EncodedSegment, VideoSettings } from '../../encode/contract.js';
import type { Shot } from '../../scene/contract.js';
import type { SegmentPlan } from '../plan.js';

/** Index in a render's two 32-bit words: 1 stops drawing before the next frame. */
export const STOP = 0;

/** `code` of the error of a segment that {@link STOP} ended: its thread is in order. */
export const STOPPED = 'ERR_DRAWING_STOPPED';

/** Index of the word that counts the frames drawn and encoded so far. */
export const DRAWN = 1;

/** Start data of a drawing thread. */
export interface ThreadStart {
  readonly settings: VideoSettings;
  /** Set to 1 by the thread when its modules are loaded. */
  readonly loaded: Int32Array;
}

/** A presenter pack for a thread. The compositor shares textures between shots by the identity of the pack, which `version` represents. */
export interface VersionedPack {
  readonly version: number;
  readonly pack: PresenterPack;
}

/** A segment to draw and encode. The pixels of shot and packs are in shared memory, so that sending them copies little (0.1 ms per pack). */
export interface SegmentJob {
  /** Shared by all threads of a render, see {@link STOP} and {@link DRAWN}. */
  readonly words: SharedArrayBuffer;
  /** Unique among all shots of the thread. */
  readonly shotId: string;
  readonly shot: Shot;
  /** By folder. */
  readonly packs: ReadonlyMap<string, VersionedPack>;
  readonly plan: SegmentPlan;
}

/** A finished segment. */
export interface SegmentResult {
  readonly segment: EncodedSegment;
  /** Size of the compositor's memory in the thread. */
  readonly memoryBytes: number;
}
