/**
 * The engine's own view of a video document: every default filled in, every number finite and within its range.
 * `parseDocument` (parse.ts) makes it out of what a client sent. Lengths are in canvas units: the canvas is
 * 640×360 for 16:9, 360×640 for 9:16 and 360×360 for 1:1, so that its shorter side always measures 360.
 */

import type {
  AspectFormat,
  CaptionStyle,
  Codec,
  EncodePreset,
  Entrance,
  Exit,
  Expression,
  FrameRate,
  Transition,
} from '@figurehead/contract/document';

/** Most objects a slide may hold, groups' children included; drawing more would only stall a worker. */
export const MAX_OBJECTS = 2_000;

/** Most objects of a slide that move by themselves: each is blended anew in every frame of its motion. */
export const MAX_MOVING = 64;

/** Most characters (UTF-16) of one text object; a frame full of the smallest legible letters holds fewer. */
export const MAX_TEXT = 20_000;

/**
 * Something wrong with a document. `path` names slide and object (`slides[0].canvas.objects[2].src`).
 * An `error` makes the video impossible to render; a `warning` says what was left out or replaced.
 */
export interface Problem {
  readonly path: string;
  readonly message: string;
  readonly level: 'error' | 'warning';
}

/** A colour ramp; `coords` in canvas units from the object's top left corner, or as fractions of its box. */
export interface Gradient {
  readonly kind: 'linear' | 'radial';
  readonly units: 'pixels' | 'percentage';
  readonly coords: Readonly<{ x1: number; y1: number; x2: number; y2: number; r1: number; r2: number }>;
  readonly stops: readonly { readonly offset: number; readonly color: string }[];
}

/** A CSS colour or a gradient. */
export type Paint = string | Gradient;

/** A drop shadow; offsets and blur in canvas units before the object's scale. */
export interface Shadow {
  readonly color: string;
  readonly blur: number;
  readonly offsetX: number;
  readonly offsetY: number;
}

/** How an object comes and goes; times in seconds of its slide. `exitAt` null: at the slide's end. */
export interface ObjectAnimation {
  readonly entrance: Entrance;
  readonly exit: Exit;
  readonly startSeconds: number;
  readonly entranceSeconds: number;
  readonly exitSeconds: number;
  readonly exitAt: number | null;
}

/** What every object has. */
export interface ObjectBase {
  /** Where it stands in the document, for messages; no part of the picture. */
  readonly at: string;
  readonly left: number;
  readonly top: number;
  /** 0: the object's natural size. */
  readonly width: number;
  readonly height: number;
  readonly scaleX: number;
  readonly scaleY: number;
  /** Degrees, clockwise. */
  readonly angle: number;
  readonly skewX: number;
  readonly skewY: number;
  readonly flipX: boolean;
  readonly flipY: boolean;
  /** Point of the object that `left`, `top` name: 0 left/top, 0.5 centre, 1 right/bottom. */
  readonly originX: number;
  readonly originY: number;
  readonly opacity: number;
  readonly fill: Paint | null;
  readonly stroke: Paint | null;
  /** 0 when there is no stroke. */
  readonly strokeWidth: number;
  readonly strokeDash: readonly number[];
  readonly strokeCap: 'butt' | 'round' | 'square';
  readonly strokeJoin: 'bevel' | 'miter' | 'round';
  /** The stroke is painted below the fill. */
  readonly strokeFirst: boolean;
  readonly shadow: Shadow | null;
  /** Colour of the object's box behind it. */
  readonly backdrop: string | null;
  /** Shape in the object's own space (origin at its centre) outside which nothing of it is seen. */
  readonly clip: CanvasObject | null;
  /** As a clip: placed on the canvas rather than in the clipped object's space, and showing what lies outside it. */
  readonly absolutePositioned: boolean;
  readonly inverted: boolean;
  readonly animation: ObjectAnimation | null;
}

/** What can differ from letter to letter. */
export interface TextStyle {
  readonly fill: Paint | null;
  readonly stroke: Paint | null;
  readonly strokeWidth: number;
  readonly fontFamily: string;
  readonly fontSize: number;
  /** 1 to 1000. */
  readonly fontWeight: number;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly linethrough: boolean;
  readonly overline: boolean;
  readonly background: string | null;
  /** Shift of the baseline, down positive. */
  readonly deltaY: number;
}

/** A stretch of text in a style of its own, UTF-16 offsets. */
export interface StyledRange {
  readonly start: number;
  readonly end: number;
  readonly style: Partial<TextStyle>;
}

/** Text. A `textbox` wraps at its width; the others are as wide as their longest line. */
export interface TextObject extends ObjectBase {
  readonly type: 'text' | 'textbox';
  readonly text: string;
  readonly style: TextStyle;
  readonly ranges: readonly StyledRange[];
  /** `start` follows the direction of the text. */
  readonly align: 'start' | 'left' | 'center' | 'right' | 'justify';
  readonly direction: 'auto' | 'ltr' | 'rtl';
  readonly lineHeight: number;
  /** Thousandths of an em between letters. */
  readonly charSpacing: number;
  readonly list: 'none' | 'bullet' | 'number';
  /** The font shrinks until the text fits the box. */
  readonly fit: boolean;
}

/** A picture. Without a crop it is fitted into its box by `fit`. */
export interface ImageObject extends ObjectBase {
  readonly type: 'image';
  readonly src: string;
  readonly fit: 'contain' | 'cover' | 'fill';
  /** Window into the picture, in its own px; its size is the object's box. */
  readonly crop: { readonly x: number; readonly y: number } | null;
  readonly radius: number;
}

/** A rectangle, rounded by `rx`, `ry`. */
export interface RectObject extends ObjectBase {
  readonly type: 'rect';
  readonly rx: number;
  readonly ry: number;
}

/** Circle (`rx` = `ry`), ellipse, or arc of one; angles in degrees. */
export interface EllipseObject extends ObjectBase {
  readonly type: 'ellipse';
  readonly rx: number;
  readonly ry: number;
  readonly startAngle: number;
  readonly endAngle: number;
}

/** An isosceles triangle that stands on its box. */
export interface TriangleObject extends ObjectBase {
  readonly type: 'triangle';
}

/** A line within its box, end points relative to the box's centre. */
export interface LineObject extends ObjectBase {
  readonly type: 'line';
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

/** A free shape: SVG path data in canvas units; `offset` is the middle of the data's bounding box. */
export interface PathObject extends ObjectBase {
  readonly type: 'path';
  readonly data: string;
  readonly offset: { readonly x: number; readonly y: number };
}

/** Objects that move as one; their places are relative to the group's centre. */
export interface GroupObject extends ObjectBase {
  readonly type: 'group';
  readonly objects: readonly CanvasObject[];
}

/** Where the slide's presenter stands. */
export interface AvatarObject extends ObjectBase {
  readonly type: 'avatar';
  readonly crop: 'full' | 'bust' | 'circle';
}

/** A film clip. */
export interface VideoObject extends ObjectBase {
  readonly type: 'video';
  readonly src: string;
  /** Of its corners. */
  readonly radius: number;
  readonly startSeconds: number;
  /** Second of the clip at which it stops or starts over; null: its end. */
  readonly endSeconds: number | null;
  readonly loop: boolean;
  /** 0 to 1; 0 is muted. */
  readonly volume: number;
}

/** Anything that stands on a slide. */
export type CanvasObject =
  | TextObject
  | ImageObject
  | RectObject
  | EllipseObject
  | TriangleObject
  | LineObject
  | PathObject
  | GroupObject
  | AvatarObject
  | VideoObject;

/** What lies below all objects. Pictures and clips cover the frame; `none` is what a transparent video has for a colour. */
export type Background =
  | { readonly kind: 'none' }
  | { readonly kind: 'color'; readonly paint: Paint }
  | { readonly kind: 'picture'; readonly src: string }
  | { readonly kind: 'video'; readonly src: string; readonly volume: number };

/** One slide. */
export interface SlideDocument {
  readonly id: number;
  readonly title: string | null;
  readonly speech: string;
  /** BCP 47, English name of a language, or null. */
  readonly language: string | null;
  readonly voice: string | null;
  readonly voiceProvider: string | null;
  /** Code of the presenter (`name` or `name.variant`), or null. */
  readonly avatar: string | null;
  readonly background: Background;
  readonly objects: readonly CanvasObject[];
  /** Entrance of the slide's content and exit at its end. */
  readonly animation: ObjectAnimation | null;
  readonly transition: Transition;
  /** Manner of its presenter. */
  readonly expression: Expression;
  /** Least length in seconds, or null: speech alone decides. */
  readonly duration: number | null;
}

/** What the document's `data` says to the renderer. */
export interface VideoData {
  readonly format: AspectFormat;
  /** Frame size in px, sides even. */
  readonly width: number;
  readonly height: number;
  readonly fps: FrameRate;
  readonly subtitlesEnabled: boolean;
  readonly musicUrl: string | null;
  /** 0 to 1. */
  readonly musicVolume: number;
  readonly seed: number;
  readonly codec: Codec;
  readonly preset: EncodePreset;
  /** The frame is transparent where nothing stands on it: coloured backgrounds are left out, `codec` is `vp9`. */
  readonly transparent: boolean;
  readonly captions: CaptionStyle;
  /** A short animated GIF is made of it. */
  readonly gifEnabled: boolean;
}

/** A whole video. */
export interface VideoDocument {
  readonly slides: readonly SlideDocument[];
  readonly data: VideoData;
}
