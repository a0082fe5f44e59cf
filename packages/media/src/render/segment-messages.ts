import type { EncodedSegment, VideoSettings } from '../encode/contract.js';
import type { PresenterPack } from '../presenter/contract.js';
import type { Shot } from '../scene/contract.js';
import type { SegmentPlan } from './plan.js';

/** What a drawing thread is started with. */
export interface ThreadStart {
  readonly settings: VideoSettings;
  /** One 32-bit word, shared: 1 stops drawing before the next frame. */
  readonly stop: SharedArrayBuffer;
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
