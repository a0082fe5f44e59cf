import type { Slide } from '../document/document.js';
import type { CanvasSize } from '../document/objects/base.js';
import { FORMATS } from '../document/output.js';
import { frameOf } from './frame.js';
import { DEFAULT_LOOK, dressSlide, type Look } from './look.js';
import { type LayoutName, SLIDE_LAYOUTS } from './slides.js';
import { type TemplateName, type TemplateSlide, VIDEO_TEMPLATES } from './videos.js';

/** The presenter and voice, as fields of a slide. */
export type SlidePresenter = Pick<Slide, 'avatar' | 'voice' | 'voiceProvider' | 'language'>;

/** Inputs of a slide. */
export interface Making {
  readonly cast: SlidePresenter;
  /** The workspace's look; {@link DEFAULT_LOOK} when absent. */
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
  const objects = layout.objects(frameOf(size)).map((object) => {
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

/** The slides of a whole video. */
export function slidesFrom(name: TemplateName, making: Making): Slide[] {
  const slides: readonly TemplateSlide[] = VIDEO_TEMPLATES[name].slides;
  return slides.map((fill, index) => slideFrom(fill.layout, { ...making, id: index + 1, fill }));
}
