import type { EncodedSegment, VideoSettings } from '../../encode/contract.js';
import type { PresenterPack } from '../../presenter/contract.js';
import type { Shot } from '../../scene/contract.js';
import type { SegmentPlan } from '../plan.js';

/** Word of a render's two 32-bit words that stops drawing before the next frame when it is 1. */
export const STOP = 0;

/** Word of a render that counts the frames drawn and encoded so far. */
export const DRAWN = 1;

/** What a drawing thread is started with. */
export interface ThreadStart {
  readonly settings: VideoSettings;
}

/**
 * To a drawing thread. A render begins with words that all of its threads share, see {@link STOP} and {@link DRAWN}. Packs come once, before the
 * first shot that shows them: the compositor shares their textures between shots by identity. Shots stay until they are forgotten; segments
 * are drawn in the order of their messages. After `rest` the thread holds the packs that it was not told to forget, answers, and waits for the
 * next render.
 */
export type ToThread =
  | { readonly kind: 'begin'; readonly words: SharedArrayBuffer }
  | { readonly kind: 'pack'; readonly folder: string; readonly pack: PresenterPack }
  | { readonly kind: 'shot'; readonly id: number; readonly shot: Shot }
  | { readonly kind: 'segment'; readonly job: number; readonly shotId: number; readonly plan: SegmentPlan }
  | { readonly kind: 'forget'; readonly id: number }
  | { readonly kind: 'rest'; readonly forget: readonly string[] }
  | { readonly kind: 'close' };

/** From a drawing thread. */
export type FromThread =
  | { readonly kind: 'done'; readonly job: number; readonly segment: EncodedSegment }
  | { readonly kind: 'failed'; readonly job: number; readonly error: Error }
  | { readonly kind: 'resting' };
