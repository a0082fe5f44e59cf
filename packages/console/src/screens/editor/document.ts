import type { Slide, Video } from '@figurehead/sdk';
import {
  type CanvasObject,
  type CanvasSize,
  ENTRANCES,
  type Entrance,
  FORMATS,
  isNameOf,
  isRecorded,
  MAX_OBJECTS,
  OBJECTS,
  objectTypeOf,
  type VideoData,
} from '@figurehead/sdk/document';
import { relaid } from '@figurehead/sdk/layouts';
import { unplacedPresenter } from '../../shell/slide-painting.js';

/** The part of a video that the editor changes. */
export interface Draft {
  readonly name: string;
  readonly slides: readonly Slide[];
  readonly data: VideoData;
}

/** The editable part of a video. */
export function draftOf(video: Video): Draft {
  return { name: video.name, slides: video.slides, data: video.data };
}

/** The shorter side is 360 in every format. */
export function canvasSizeOf(draft: Pick<Draft, 'data'>): CanvasSize {
  const { format } = draft.data;
  return FORMATS[isNameOf(FORMATS, format) ? format : '16_9'];
}

/** The document in another format: layouts fill the new canvas, and other content keeps its arrangement in its middle, smaller or moved. */
export function inFormat(draft: Draft, format: NonNullable<VideoData['format']>): Draft {
  const [from, to] = [canvasSizeOf(draft), canvasSizeOf({ data: { format } })];
  const scale = Math.min(to.width / from.width, to.height / from.height);
  const [x, y] = [(to.width - from.width * scale) / 2, (to.height - from.height * scale) / 2];
  const fitted = (object: CanvasObject): CanvasObject => ({
    ...object,
    left: (object.left ?? 0) * scale + x,
    top: (object.top ?? 0) * scale + y,
    scaleX: (object.scaleX ?? 1) * scale,
    scaleY: (object.scaleY ?? 1) * scale,
  });
  const slides = draft.slides.map((slide) => {
    const objects = objectsOf(slide);
    return objects.length === 0
      ? slide
      : { ...slide, canvas: { ...slide.canvas, objects: relaid(objects, [from, to], fitted) } };
  });
  return { ...draft, slides, data: { ...draft.data, format } };
}

/** Objects of a slide's canvas, bottom first. */
export function objectsOf(slide: Slide): readonly CanvasObject[] {
  return slide.canvas?.objects ?? [];
}

/** A colour, or the address of a picture. */
export function backgroundOf(slide: Slide): string {
  return slide.canvas?.background ?? '#ffffff';
}

/** Applies `change` to the slide at `index`. */
export function changeSlide(draft: Draft, index: number, change: Partial<Slide>): Draft {
  return { ...draft, slides: draft.slides.map((slide, at) => (at === index ? { ...slide, ...change } : slide)) };
}

/** Applies `change` to the canvas of the slide at `index`. */
export function changeCanvas(draft: Draft, index: number, change: NonNullable<Slide['canvas']>): Draft {
  const slide = draft.slides[index];
  return slide ? changeSlide(draft, index, { canvas: { ...slide.canvas, ...change } }) : draft;
}

/** Replaces the objects of a slide. Its presenter does not move because the first object came or the last one went. */
export function changeObjects(
  draft: Draft,
  index: number,
  change: (objects: readonly CanvasObject[]) => readonly CanvasObject[],
): Draft {
  const slide = draft.slides[index];
  if (!slide) return draft;
  const before = objectsOf(slide);
  const after = change(before);
  if (after === before) return draft;
  return changeCanvas(draft, index, { objects: withPresenter(slide, after, canvasSizeOf(draft)) });
}

/** The new objects of a slide, with its presenter as an object below them where it would move otherwise. */
export function withPresenter(slide: Slide, objects: readonly CanvasObject[], size: CanvasSize): CanvasObject[] {
  const stays = objectsOf(slide).length > 0 === objects.length > 0 || objects.some(isPresenter);
  const presenter = stays ? undefined : unplacedPresenter(slide, size);
  return presenter ? [presenter, ...objects] : [...objects];
}

/** True for the object that places the slide's presenter. */
export function isPresenter({ type }: CanvasObject): boolean {
  return type === 'avatar';
}

/** Objects with new placements; the list itself when nothing moves. */
export function placed(
  objects: readonly CanvasObject[],
  placements: ReadonlyMap<number, Partial<CanvasObject>>,
): readonly CanvasObject[] {
  const differs = (object: CanvasObject, to: Partial<CanvasObject>) =>
    (Object.keys(to) as (keyof CanvasObject)[]).some((key) => object[key] !== to[key]);
  let moves = false;
  const next = objects.map((object, index) => {
    const to = placements.get(index);
    if (to === undefined || !differs(object, to)) return object;
    moves = true;
    return { ...object, ...to };
  });
  return moves ? next : objects;
}

/** Adds objects on top. A slide has one presenter, so a second one is skipped. */
export function pasted(objects: readonly CanvasObject[], added: readonly CanvasObject[]): readonly CanvasObject[] {
  const next = [...objects];
  for (const object of added) {
    if (isPresenter(object) && next.some(isPresenter)) continue;
    if (next.length < MAX_OBJECTS) next.push(object);
  }
  return next;
}

/** A list without the entries at these indices. */
export function without<T>(list: readonly T[], indices: readonly number[]): T[] {
  return list.filter((_entry, index) => !indices.includes(index));
}

/** Moves one entry of a list. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const next = [...list];
  const [entry] = next.splice(from, 1);
  if (entry !== undefined) next.splice(to, 0, entry);
  return next;
}

/** A new slide like `slide`, with the same look and voice but without its texts. */
export function slideAfter(slides: readonly Slide[], slide: Slide | undefined): Slide {
  const id = Math.max(0, ...slides.map((one) => one.id)) + 1;
  const { audio: _audio, recording: _recording, voiceType: _voiceType, ...rest } = slide ?? { id };
  const stand = slide ? objectsOf(slide).filter(isPresenter).slice(0, 1) : [];
  const background = slide?.canvas?.background ?? '#e7efe9';
  return { ...rest, id, speech: '', canvas: { version: '6.0.0', background, objects: stand } };
}

/** A picture or clip, scaled to fit the canvas. */
export function newMedium(
  type: 'image' | 'video',
  medium: { readonly src: string; readonly width: number; readonly height: number },
  size: CanvasSize,
): CanvasObject {
  const scale = Math.min(1, (size.width * 0.5) / medium.width, (size.height * 0.6) / medium.height);
  const place = { left: 40, top: 40, originX: 'left', originY: 'top', scaleX: scale, scaleY: scale } as const;
  return { type, ...medium, ...place, ...(type === 'video' && { loop: true, volume: 0 }) };
}

/** A slide with the presenter of another one, and its voice where both speak one language. Slides without a presenter stay without. */
export function castAs(slide: Slide, other: Omit<Slide, 'speech'>): Slide {
  const { avatar, hasAvatar, voice, voiceProvider, language } = other;
  const shows = slide.hasAvatar !== false && slide.avatar != null;
  const speaks = voice != null && (slide.language ?? language) === language;
  return {
    ...slide,
    ...(shows && hasAvatar !== false && avatar && { avatar }),
    ...(speaks && { voice, voiceProvider, language }),
  };
}

/** Whether {@link castAs} would change nothing. */
export function isCastAs(slide: Slide, other: Omit<Slide, 'speech'>): boolean {
  const cast = castAs(slide, other);
  return cast.avatar?.code === slide.avatar?.code && cast.voice === slide.voice;
}

/** Cache key of a slide's speech: its text and voice. */
export function spokenKey(slide: Slide): string {
  const { speech, voice, voiceProvider, language, recording } = slide;
  return JSON.stringify([speech, language, ...(isRecorded(slide) ? [recording?.src] : [voice, voiceProvider])]);
}

/** Whether something is said on a slide: its recording, or its text. */
export function hasSpeech(slide: Slide): boolean {
  return isRecorded(slide) ? Boolean(slide.recording) : Boolean(slide.speech?.trim());
}

/** The last part of an address, without its signature. */
export function fileNameOf(address: string): string {
  const path = address.split(/[?#]/)[0] ?? '';
  return decodeURIComponent(path.split('/').at(-1) ?? '') || 'Chosen';
}

/** The entrance in an `animation`, given as a string or as its `type`; unknown values count as none. */
export function entranceOf(animation: unknown): Entrance {
  const named = typeof animation === 'object' && animation !== null && 'type' in animation ? animation.type : animation;
  return isNameOf(ENTRANCES, named) ? named : 'none';
}

/** Display name of an object. */
function nameOf(object: CanvasObject): string {
  if (isText(object)) return shortened(object.text ?? '') || 'Empty text';
  const type = objectTypeOf(object.type);
  return type === undefined ? object.type : OBJECTS[type].label;
}

/** Display names of a slide's objects; equal ones are numbered from the bottom. */
export function namesOf(objects: readonly CanvasObject[]): string[] {
  const plain = objects.map(nameOf);
  return plain.map((name, index) => {
    if (plain.indexOf(name) === plain.lastIndexOf(name)) return name;
    return `${name} ${plain.slice(0, index + 1).filter((one) => one === name).length}`;
  });
}

/** Beginning of a text, with a mark where it was cut. */
function shortened(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}

/** True for a picture whose visible part can be chosen. */
export function isCroppable(object: CanvasObject): boolean {
  return objectTypeOf(object.type) === 'image' && Boolean(object.src) && object.locked !== true;
}

/** True for both text types, in the spelling of any version of Fabric. */
export function isText(object: CanvasObject): boolean {
  const type = objectTypeOf(object.type);
  return type === 'text' || type === 'textbox';
}
