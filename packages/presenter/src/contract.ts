import type { CutOut } from '@figurehead/contract/document';
import type { OwnMotion, Pose } from './face/contract.js';
import type { Rect, YuvaFrame, YuvFrame } from './frame.js';

/**
 * A presenter pack decoded to pixels (format: presenters/FORMAT.md). Structured-cloneable with its buffers in shared
 * memory, so that one load serves every thread. Opaque outside `presenter/`.
 */
export interface PresenterPack {
  readonly name: string;
  /** Plate size in px. */
  readonly width: number;
  readonly height: number;
  /** How the person moves, if it was made from a film of them. */
  readonly motion?: OwnMotion;
}

/** A pack was refused; the message names the file and what was expected. */
export class PackError extends Error {
  override readonly name = 'PackError';
}

/** The part of the plate that is shown. `full`: the whole plate; `bust`: head and shoulders; `circle`: the bust in a disc. */
export type PresenterCrop = CutOut;

/**
 * Box of a presenter in a frame, in luma px. The shown part of the plate is fitted into it, keeping its aspect ratio,
 * with its bottom at the box's bottom.
 */
export interface PresenterPlacement extends Rect {
  readonly crop: PresenterCrop;
  /** Fills a box that is clearly higher than wide: its sides cut the shoulders, as in a portrait. */
  readonly fills?: true;
}

/** Determines which part of a picture has to be redrawn when head and body do not move. */
export interface FaceRedrawing {
  /**
   * Greatest distance that any point of head, brows or body moves between the two poses, px of the frame; exact for
   * small steps.
   */
  distance(from: Pose, to: Pose): number;
  /**
   * The area in which pictures of two poses may differ: even-aligned, inside the presenter's bounds, empty when they
   * are equal. It is as small as possible: only mouth or eyes; the head, when breath and sway do not change; otherwise
   * the whole person.
   */
  changed(from: Pose, to: Pose): Rect;
}

/** A presenter prepared for one size and place in frames of one size. Holds WASM memory until closed. */
export interface PlacedPresenter {
  /** Every pixel that `draw` can touch lies inside; even-aligned and clipped to the frame. */
  readonly bounds: Rect;
  /** Present when parts can be drawn on their own. */
  readonly face?: FaceRedrawing;
  /**
   * Draws the presenter in this pose over `target` inside `bounds`. The caller has restored the background there first.
   * With `part`, a rectangle from `face.changed`, only there.
   */
  draw(pose: Pose, target: YuvFrame, part?: Rect): void;
  /** Frees its memory. Idempotent. */
  close(): void;
}

/** A flat picture with transparency in the compositor's memory. */
export interface Sprite {
  readonly width: number;
  readonly height: number;
  /**
   * Blends the sprite over `target` with its top left corner at (x, y) luma px, enlarged by `scale` (bilinear), alpha
   * multiplied by `opacity` (0…1). Clipped to the frame. Returns the touched rectangle, even-aligned.
   */
  draw(target: YuvFrame, at: { x: number; y: number; scale: number; opacity: number }): Rect;
  close(): void;
}

/**
 * Draws into YUV420 frames with the WASM SIMD kernel. One per thread; not re-entrant. Frames that it draws into must
 * come from `createFrame`. The caller closes it, which frees everything it created.
 */
export interface Compositor {
  /** A frame in the kernel's memory. Its planes stay valid until `close`. */
  createFrame(width: number, height: number): YuvFrame;
  /** Copies `rect` (even-aligned) of `source` (any memory) into `target` (from `createFrame`), same size. */
  restore(source: YuvFrame, target: YuvFrame, rect: Rect): void;
  /** Resamples the pack for the placement once. Loaded textures of the same pack and scale are shared. */
  place(pack: PresenterPack, placement: PresenterPlacement, frame: { width: number; height: number }): PlacedPresenter;
  createSprite(picture: YuvaFrame): Sprite;
  /** Size of the kernel's memory, which grows and never shrinks. */
  readonly memoryBytes: number;
  close(): void;
}
