import type { Slide } from '../document/document.js';
import type { CanvasSize } from '../document/objects/base.js';
import type { CanvasObject } from '../document/objects/index.js';
import { FORMATS } from '../document/output.js';
import { namesOf } from '../document/table.js';
import { frameOf } from './frame.js';
import { DEFAULT_LOOK, dressSlide, type Look } from './look.js';
import { withRoom } from './parts.js';
import { type LayoutName, SLIDE_LAYOUTS } from './slides.js';
import { type TemplateName, type TemplateSlide, VIDEO_TEMPLATES } from './videos.js';

/** The presenter and voice, as fields of a slide. */
export type SlidePresenter = Pick<Slide, 'avatar' | 'voice' | 'voiceProvider' | 'language'>;

/** Inputs of a slide. */
export interface Making {
  readonly cast: SlidePresenter;
  /** The workspace's look; when absent, that of the template, or {@link DEFAULT_LOOK}. */
  readonly look?: Look;
  /** The canvas of the video; wide when absent. */
  readonly size?: CanvasSize;
}

/** A slide from a layout, in a look. Its speech is empty unless `fill` contains one. */
export function slideFrom(
  name: LayoutName,
  { id, cast, look = DEFAULT_LOOK, size = FORMATS['16_9'], fill }: Making & { id: number; fill?: TemplateSlide },
): Slide {
  const layout = SLIDE_LAYOUTS[name];
  const texts = fill?.texts ?? {};
  const objects = objectsOf(name, size).map((object) => {
    const words = texts[String(object.id)];
    return words === undefined ? object : { ...object, text: words };
  });
  const slide: Slide = {
    ...cast,
    id,
    speech: fill?.speech ?? '',
    hasAvatar: cast.avatar != null && objects.some(({ type }) => type === 'avatar'),
    ...(fill?.transition && { transition: fill.transition }),
    ...(fill?.expression && { expression: fill.expression }),
    canvas: { version: '6.0.0', brandRole: layout.backdrop, background: '#ffffff', objects },
  };
  return dressSlide(slide, look, size);
}

function objectsOf(name: LayoutName, size: CanvasSize): CanvasObject[] {
  return withRoom(SLIDE_LAYOUTS[name].objects(frameOf(size)), size);
}

/** Texts of layouts that say what to write there, by object. */
export function sampleTexts(): ReadonlySet<string> {
  const objects = namesOf(SLIDE_LAYOUTS).flatMap((name) => objectsOf(name, FORMATS['16_9']));
  return new Set(objects.flatMap((object) => (isSample(object) ? [sampleKey(object)] : [])));
}

/** Whether a text is still the one of {@link sampleTexts}. */
export function sampleKey({ id, text }: CanvasObject): string {
  return `${String(id)}\n${text ?? ''}`;
}

/** Numbers of badges and short signs do not invite to write something else. */
function isSample({ text }: CanvasObject): boolean {
  return typeof text === 'string' && !/^(?:\d{1,2}|[A-Z]{1,5}|[✓✗+−])$/.test(text);
}

/** Fields of an object that a layout sets by the canvas. */
const PLACE = ['left', 'top', 'width', 'height', 'radius', 'rx', 'ry', 'fontSize', 'path', 'pathOffset'] as const;

/**
 * The objects of a slide on a canvas of another format. What is where a layout has put it goes where the layout puts it there; `rest` moves
 * the others.
 */
export function relaid(
  objects: readonly CanvasObject[],
  [from, to]: readonly [from: CanvasSize, to: CanvasSize],
  rest: (object: CanvasObject) => CanvasObject,
): CanvasObject[] {
  const found = namesOf(SLIDE_LAYOUTS).map((name) => {
    const [before, after] = [objectsOf(name, from), objectsOf(name, to)];
    const left = before.map((_object, index) => index);
    const places = objects.map((object) => {
      const at = left.findIndex((index) => isInPlace(object, before[index]));
      return at < 0 ? undefined : after[left.splice(at, 1)[0] ?? -1];
    });
    return { places, share: (before.length - left.length) / before.length };
  });
  // A slide of which something was removed is still recognised by most of the others.
  const best = found.reduce((a, b) => (b.share > a.share ? b : a));
  return objects.map((object, index) => {
    const place = best.share > 0.6 ? best.places[index] : undefined;
    if (!place) return rest(object);
    return { ...object, ...Object.fromEntries(PLACE.flatMap((key) => (key in place ? [[key, place[key]]] : []))) };
  });
}

function isInPlace(object: CanvasObject, place: CanvasObject | undefined): boolean {
  const isSame = (key: 'left' | 'top' | 'width') => Math.abs((object[key] ?? 0) - (place?.[key] ?? 0)) < 0.5;
  const isScaled = (object.scaleX ?? 1) !== 1 || (object.scaleY ?? 1) !== 1;
  return place?.type === object.type && !isScaled && isSame('left') && isSame('top') && isSame('width');
}

/** The look of a template, for workspaces without a brand. */
export function templateLook(name: TemplateName): Look {
  return { ...DEFAULT_LOOK, ...VIDEO_TEMPLATES[name].look };
}

/** The slides of a whole video. */
export function slidesFrom(name: TemplateName, making: Making): Slide[] {
  const slides: readonly TemplateSlide[] = VIDEO_TEMPLATES[name].slides;
  const whole = { look: templateLook(name), ...making };
  return slides.map((fill, index) => slideFrom(fill.layout, { ...whole, id: index + 1, fill }));
}
