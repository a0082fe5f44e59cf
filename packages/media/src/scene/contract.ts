import type { PresenterPlacement } from '@figurehead/presenter';
import type { FaceTrackInput } from '@figurehead/presenter/face';
import type { VideoFormat, YuvaFrame, YuvFrame } from '@figurehead/presenter/frame';

/** State of an animated layer at one frame: shift in px, scale around the layer's centre, opacity 0…1. */
export interface LayerState {
  readonly dx: number;
  readonly dy: number;
  readonly scale: number;
  readonly opacity: number;
}

/** One change of a layer over time, in frames of its shot; before it the state is `from`, after it `to`. */
export interface LayerMotion {
  readonly startFrame: number;
  readonly frames: number;
  readonly from: LayerState;
  readonly to: LayerState;
  readonly easing: 'linear' | 'ease-in' | 'ease-out' | 'ease-in-out';
}

/** A drawn picture over the layers below it. */
export interface SpriteLayer {
  readonly kind: 'sprite';
  readonly picture: YuvaFrame;
  /** Top left corner at rest, in luma px of the frame. */
  readonly x: number;
  readonly y: number;
  /** In order of time, without overlaps; empty: the layer never moves. */
  readonly motions: readonly LayerMotion[];
}

/** Transparency over a rectangle of the frame, `width × height` values: 0 is transparent, 255 opaque. */
export interface LayerMask {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly a: Uint8Array;
}

/** How an upright picture is turned and masked. */
export interface LayerShape {
  /** Clockwise about (`x`, `y`) px of the frame, radians. */
  readonly angle: number;
  readonly x: number;
  readonly y: number;
  /** In frame coordinates, not turned with the picture. Absent: all of it is visible. */
  readonly mask?: LayerMask;
}

/** A presenter, redrawn for each frame. */
export interface PresenterLayer {
  readonly kind: 'presenter';
  /** Folder of the pack. */
  readonly pack: string;
  readonly placement: PresenterPlacement;
  /** On the shot's clock: sample 0 is its first frame. */
  readonly face: FaceTrackInput;
  readonly shape?: LayerShape;
  readonly motions: readonly LayerMotion[];
}

/** A playing video, decoded as needed; sized and placed as given, looped when shorter than the shot. */
export interface VideoLayer {
  readonly kind: 'video';
  readonly file: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly startSeconds: number;
  /** End of the shown part of the file; absent: the file's end. */
  readonly endSeconds?: number;
  readonly loop: boolean;
  readonly shape?: LayerShape;
  readonly motions: readonly LayerMotion[];
}

/** A picture that is visible for some frames. */
export interface CaptionShow {
  readonly startFrame: number;
  readonly frames: number;
  /** Top left corner in luma px of the frame, even. */
  readonly x: number;
  readonly y: number;
  readonly picture: YuvaFrame;
}

/** Captions: pictures that appear and disappear without a motion; later ones cover earlier ones. */
export interface CaptionLayer {
  readonly kind: 'captions';
  readonly shows: readonly CaptionShow[];
  readonly motions: readonly [];
}

/** Layers above a shot's base, bottom first. */
export type Layer = SpriteLayer | PresenterLayer | VideoLayer | CaptionLayer;

/**
 * One slide ready to be drawn: everything that a drawing thread needs, structured-cloneable. Static content below the
 * first moving layer is part of `base`.
 */
export interface Shot {
  /** Content hash: shots with the same key give the same frames, so their encoded segments can be cached. */
  readonly key: string;
  readonly format: VideoFormat;
  /** First frame of the shot in the video, and its length in frames. */
  readonly startFrame: number;
  readonly frames: number;
  readonly base: YuvFrame;
  /** The base is empty. In a transparent video, areas without a layer are transparent; otherwise they are white. */
  readonly transparent?: true;
  readonly layers: readonly Layer[];
}
