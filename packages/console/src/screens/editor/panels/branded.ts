import type { Brand, Slide } from '@figurehead/sdk';
import { dressSlide, type Look, lookIn, lookOf } from '@figurehead/sdk/layouts';
import { canvasSizeOf, type Draft, objectsOf, withPresenter } from '../document.js';

/** The look of new slides and objects of a video: the brand's, and of its other slides where the brand has none. */
export function lookFor(brand: Brand | undefined, slides: readonly Slide[]): Look {
  const own = lookIn(slides);
  return brand ? lookOf(brand, own) : own;
}

/** Applies a brand to a video: colours, fonts and logo on every slide, its presenter on slides with one, its voice on slides in its language. */
export function branded(draft: Draft, brand: Brand): Draft {
  const { avatar, voice, voiceProvider, language } = brand;
  const size = canvasSizeOf(draft);
  const look = lookFor(brand, draft.slides);
  const slides = draft.slides.map((slide) => {
    const dressed = dressSlide(slide, look, size);
    return {
      ...dressed,
      canvas: { ...dressed.canvas, objects: withPresenter(slide, objectsOf(dressed), size) },
      ...(avatar && slide.avatar && { avatar: { code: avatar } }),
      ...(voice && (slide.language ?? language) === language && { voice, voiceProvider, language }),
    };
  });
  return { ...draft, slides };
}
