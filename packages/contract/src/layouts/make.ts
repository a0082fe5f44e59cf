import type { Slide } from '../document/document.js';
import type { CanvasSize } from '../document/objects/base.js';
import type { CanvasObject } from '../document/objects/index.js';
import { FORMATS } from '../document/output.js';
import { DEFAULT_LOOK, dressSlide, type Look } from './look.js';
import { type LayoutName, SLIDE_LAYOUTS, type SlideLayout } from './slides.js';
import { type TemplateName, type TemplateSlide, VIDEO_TEMPLATES } from './videos.js';

/** Who speaks, as slides say it. */
export type Cast = Pick<Slide, 'avatar' | 'voice' | 'voiceProvider' | 'language'>;

/** Inputs of a slide. */
export interface Making {
  readonly cast: Cast;
  /** The workspace's own; {@link DEFAULT_LOOK} when absent. */
  readonly look?: Look;
  /** The canvas of the video; wide when absent. */
  readonly size?: CanvasSize;
}

/** A slide by a layout, in a look. Its speech is empty unless `fill` says something. */
export function slideFrom(
  name: LayoutName,
  { id, cast, look = DEFAULT_LOOK, size = FORMATS['16_9'], fill }: Making & { id: number; fill?: TemplateSlide },
): Slide {
  const layout: SlideLayout = SLIDE_LAYOUTS[name];
  const texts = fill?.texts ?? {};
  const objects = layout.objects.map((object) => {
    const words = texts[String(object.id)];
    return fitted(words === undefined ? object : { ...object, text: words }, size);
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

/** The slides of a whole video. */
export function slidesFrom(name: TemplateName, making: Making): Slide[] {
  const slides: readonly TemplateSlide[] = VIDEO_TEMPLATES[name].slides;
  return slides.map((fill, index) => slideFrom(fill.layout, { ...making, id: index + 1, fill }));
}

/**
 * An object of a wide layout on a canvas of another shape: places are stretched with the canvas, sides of texts and bars too;
 * round things, drawings and presenters keep their shape, letters become smaller with the width.
 */
function fitted(object: CanvasObject, size: CanvasSize): CanvasObject {
  const wide = FORMATS['16_9'];
  const [across, down] = [size.width / wide.width, size.height / wide.height];
  if (across === 1 && down === 1) return object;
  const { left = 0, top = 0, width = 0, height = 0 } = object;
  const placed = { left: left * across, top: top * down, width: width * across, height: height * down };
  if (object.type === 'rect') return { ...object, ...placed };
  if (object.type === 'textbox') {
    const letters = Math.max(across, 0.7);
    return { ...object, ...placed, fontSize: Math.round((object.fontSize ?? 16) * letters), height: height * letters };
  }
  if (object.type === 'avatar') {
    const scale = Math.min(size.width / width, 1) * (object.shape === 'circle' ? 1 : Math.min(1, across * 1.4));
    const [w, h] = [width * scale, height * scale];
    // Leaves space at the lower right.
    const [x, y] = [(left + width) * across - w, (top + height) * down - h];
    return { ...object, width: w, height: h, left: Math.max(0, x), top: Math.max(0, y) };
  }
  const scale = Math.min(across, down);
  return {
    ...object,
    left: placed.left + (placed.width - width * scale) / 2,
    top: placed.top + (placed.height - height * scale) / 2,
    scaleX: scale,
    scaleY: scale,
  };
}
