import type { FaceTrackInput } from '../face/contract.js';
import type { VideoFormat, YuvaFrame, YuvFrame } from '../frame.js';
import type { PresenterPlacement } from '../presenter/contract.js';

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

/** A drawn picture that is laid over what is below it. */
export interface SpriteLayer {
  readonly kind: 'sprite';
  readonly picture: YuvaFrame;
  /** Top left corner at rest, in luma px of the frame. */
  readonly x: number;
  readonly y: number;
  /** In order of time and not overlapping; none: the layer never moves. */
  readonly motions: readonly LayerMotion[];
}

/** Transparency over a rectangle of the frame, `width × height` values: 0 hides, 255 shows. */
export interface LayerMask {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly a: Uint8Array;
}

/** How an upright picture is laid: turned, and seen only where the mask lets it. */
export interface LayerShape {
  /** Clockwise about (`x`, `y`) px of the frame, radians. */
  readonly angle: number;
  readonly x: number;
  readonly y: number;
  /** Of the frame, not turned with the picture. None: all of it is seen. */
  readonly mask?: LayerMask;
}

/** A presenter, drawn anew each frame. */
export interface PresenterLayer {
  readonly kind: 'presenter';
  /** Folder of the pack. */
  readonly pack: string;
  readonly placement: PresenterPlacement;
  /** On the shot's clock: sample 0 is the first frame of the shot. */
  readonly face: FaceTrackInput;
  readonly shape?: LayerShape;
  readonly motions: readonly LayerMotion[];
}

/** A playing video, decoded as it is needed; sized and placed as given, looped when shorter than the shot. */
export interface VideoLayer {
  readonly kind: 'video';
  readonly file: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly startSeconds: number;
  /** Where the shown part of the file ends; absent: the file's end. */
  readonly endSeconds?: number;
  readonly loop: boolean;
  readonly shape?: LayerShape;
  readonly motions: readonly LayerMotion[];
}

/** A picture that is there for some frames and then gone. */
export interface CaptionShow {
  readonly startFrame: number;
  readonly frames: number;
  /** Top left corner in luma px of the frame, even. */
  readonly x: number;
  readonly y: number;
  readonly picture: YuvaFrame;
}

/** Captions: pictures that come and go without a motion; a later one lies over an earlier one. */
export interface CaptionLayer {
  readonly kind: 'captions';
  readonly shows: readonly CaptionShow[];
  readonly motions: readonly [];
}

/** What can lie above a shot's base, bottom first. */
export type Layer = SpriteLayer | PresenterLayer | VideoLayer | CaptionLayer;

/**
 * One slide ready to be drawn: all that a drawing thread needs, structured-cloneable. Whatever does not move and lies
 * below the first moving layer is part of `base`.
 */
export interface Shot {
  /** Content hash: shots with the same key give the same frames, so their encoded segments can be kept. */
  readonly key: string;
  readonly format: VideoFormat;
  /** First frame of the shot in the video, and its length in frames. */
  readonly startFrame: number;
  readonly frames: number;
  readonly base: YuvFrame;
  /** The base is nothing: in a transparent video what no layer covers is seen through; elsewhere it is white. */
  readonly transparent?: true;
  readonly layers: readonly Layer[];
}
