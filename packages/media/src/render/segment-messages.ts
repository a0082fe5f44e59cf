import type { EncodedSegment, VideoSettings } from '../encode/contract.js';
import type { PresenterPack } from '../presenter/contract.js';
import type { Shot } from '../scene/contract.js';
import type { SegmentPlan } from './plan.js';

/** Word of {@link ThreadStart.words} that stops drawing before the next frame when it is 1. */
export const STOP = 0;

/** Word of {@link ThreadStart.words} that counts the frames drawn and encoded so far. */
export const DRAWN = 1;

/** What a drawing thread is started with. */
export interface ThreadStart {
  readonly settings: VideoSettings;
  /** Two 32-bit words shared by all threads of a render: see {@link STOP} and {@link DRAWN}. */
  readonly words: SharedArrayBuffer;
}

/**
 * To a drawing thread. Packs come once, before the first shot that shows them: the compositor shares their textures
 * between shots by identity. Shots stay until they are forgotten; segments are drawn in the order of their messages.
 */
export type ToThread =
  | { readonly kind: 'pack'; readonly folder: string; readonly pack: PresenterPack }
  | { readonly kind: 'shot'; readonly id: number; readonly shot: Shot }
  | { readonly kind: 'segment'; readonly job: number; readonly shotId: number; readonly plan: SegmentPlan }
  | { readonly kind: 'forget'; readonly id: number }
  | { readonly kind: 'close' };

/** From a drawing thread. */
export type FromThread =
  | { readonly kind: 'done'; readonly job: number; readonly segment: EncodedSegment }
  | { readonly kind: 'failed'; readonly job: number; readonly error: Error };
