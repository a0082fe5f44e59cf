import type { Slide, CanvasObject as StoredObject, Video } from '@figurehead/sdk';
import { ENTRANCES, type Entrance, FORMATS, isNameOf } from '@figurehead/sdk/document';

/** An object of the canvas, with the properties of Fabric's that the editor reads. */
export interface CanvasObject extends StoredObject {
  originX?: unknown;
  originY?: unknown;
  fill?: unknown;
  stroke?: unknown;
  strokeWidth?: unknown;
  fontStyle?: unknown;
  fontWeight?: unknown;
  underline?: unknown;
  lineHeight?: unknown;
  radius?: unknown;
  rx?: unknown;
  ry?: unknown;
  animation?: unknown;
  /** Of clips: whether they start over, how loud they are (0 to 1), and the part of them that is shown, seconds. */
  loop?: unknown;
  volume?: unknown;
  startTime?: unknown;
  endTime?: unknown;
  /** Cut-out of a presenter: `full`, `circle` or `bust`. */
  shape?: unknown;
}

/** What the editor changes of a video. */
export interface Draft {
  readonly name: string;
  readonly slides: readonly Slide[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** Size of the canvas in its own units. */
export interface CanvasSize {
  readonly width: number;
  readonly height: number;
}

/** The editable part of a video. */
export function draftOf(video: Video): Draft {
  return { name: video.name, slides: video.slides, data: video.data };
}

/** The shorter side is 360 in every format. */
export function sizeOf(draft: Pick<Draft, 'data'>): CanvasSize {
  const { format } = draft.data;
  return FORMATS[isNameOf(FORMATS, format) ? format : '16_9'];
}

/** Objects of a slide's canvas, bottom first. */
export function objectsOf(slide: Slide): readonly CanvasObject[] {
  return slide.canvas?.objects ?? [];
}

/** A colour, or the address of a picture. */
export function backgroundOf(slide: Slide): string {
  return slide.canvas?.background ?? '#ffffff';
}

/** Puts `change` into the slide at `index`. */
export function changeSlide(draft: Draft, index: number, change: Partial<Slide>): Draft {
  return { ...draft, slides: draft.slides.map((slide, at) => (at === index ? { ...slide, ...change } : slide)) };
}

/** Puts `change` into the canvas of the slide at `index`. */
export function changeCanvas(draft: Draft, index: number, change: NonNullable<Slide['canvas']>): Draft {
  const slide = draft.slides[index];
  return slide ? changeSlide(draft, index, { canvas: { ...slide.canvas, ...change } }) : draft;
}

/** Replaces the objects of a slide. */
export function changeObjects(
  draft: Draft,
  index: number,
  change: (objects: readonly CanvasObject[]) => readonly CanvasObject[],
): Draft {
  const slide = draft.slides[index];
  return slide ? changeCanvas(draft, index, { objects: [...change(objectsOf(slide))] }) : draft;
}

/** Puts `change` into one object. */
export function changeObject(
  draft: Draft,
  place: { slide: number; object: number },
  change: Partial<CanvasObject>,
): Draft {
  return changeObjects(draft, place.slide, (objects) =>
    objects.map((object, at) => (at === place.object ? { ...object, ...change } : object)),
  );
}

/** Moves one entry of a list. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const next = [...list];
  const [entry] = next.splice(from, 1);
  if (entry !== undefined) next.splice(to, 0, entry);
  return next;
}

/** A slide behind `slide` that looks and sounds like it, without its words. */
export function slideAfter(slides: readonly Slide[], slide: Slide | undefined): Slide {
  const id = Math.max(0, ...slides.map((one) => one.id)) + 1;
  const { audio: _audio, ...rest } = slide ?? { id };
  const stand = slide ? objectsOf(slide).filter((object) => object.type === 'avatar') : [];
  const background = slide?.canvas?.background ?? '#e7efe9';
  return { ...rest, id, speech: '', canvas: { version: '6.0.0', background, objects: stand } };
}

/** Something new to put on a slide. */
export function newObject(kind: 'text' | 'rect' | 'circle' | 'avatar', size: CanvasSize): CanvasObject {
  const middle = (width: number, height: number) => ({
    left: Math.round((size.width - width) / 2),
    top: Math.round((size.height - height) / 2),
    width,
    height,
    originX: 'left',
    originY: 'top',
  });
  if (kind === 'text') {
    const text = { text: 'Your text', fontSize: 32, fontFamily: 'Inter', fontWeight: 'bold', fill: '#22211e' };
    return { type: 'textbox', ...middle(260, 37), left: 40, ...text, textAlign: 'left' };
  }
  if (kind === 'rect') return { type: 'rect', ...middle(180, 100), fill: '#2a8472', rx: 10, ry: 10 };
  if (kind === 'circle') return { type: 'circle', ...middle(110, 110), radius: 55, fill: '#f3c77b' };
  const width = Math.min(size.width * 0.53, size.height * 1.067);
  const height = width * 0.75;
  return { type: 'avatar', ...middle(width, height), left: size.width - width, top: size.height - height };
}

/** A picture or clip of so many px that fits on the canvas. */
export function newMedium(
  type: 'image' | 'video',
  medium: { readonly src: string; readonly width: number; readonly height: number },
  size: CanvasSize,
): CanvasObject {
  const scale = Math.min(1, (size.width * 0.5) / medium.width, (size.height * 0.6) / medium.height);
  const place = { left: 40, top: 40, originX: 'left', originY: 'top', scaleX: scale, scaleY: scale };
  return { type, ...medium, ...place, ...(type === 'video' && { loop: true, volume: 0 }) };
}

/** What decides how a slide sounds: equal keys, equal speech. */
export function spokenKey(slide: Slide): string {
  return JSON.stringify([slide.speech, slide.voice, slide.voiceProvider, slide.language]);
}

/** The entrance that an `animation` names, by itself or as its `type`; other spellings than the editor's show as none. */
export function entranceOf(animation: unknown): Entrance {
  const named = typeof animation === 'object' && animation !== null && 'type' in animation ? animation.type : animation;
  return isNameOf(ENTRANCES, named) ? named : 'none';
}

/** What people call an object. */
export function nameOf(object: CanvasObject): string {
  if (isText(object)) return object.text?.trim().slice(0, 40) || 'Empty text';
  const names: Record<string, string> = {
    image: 'Picture',
    rect: 'Rectangle',
    circle: 'Circle',
    avatar: 'Presenter',
    video: 'Video clip',
  };
  return names[object.type.toLowerCase()] ?? object.type;
}

/** Any of Fabric's three kinds of text, as any of its versions writes them. */
export function isText(object: CanvasObject): boolean {
  return /^(text|i-?text|textbox)$/i.test(object.type);
}
