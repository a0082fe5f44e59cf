import type { Brand } from '@figurehead/sdk';
import { dressSlide, lookOf } from '@figurehead/sdk/layouts';
import { canvasSizeOf, type Draft, objectsOf, withPresenter } from '../document.js';

/** Applies a brand to a video: colours, fonts and logo on every slide, its presenter on slides with one, its voice on slides in its language. */
export function branded(draft: Draft, brand: Brand): Draft {
  const { avatar, voice, voiceProvider, language } = brand;
  const size = canvasSizeOf(draft);
  const slides = draft.slides.map((slide) => {
    const dressed = dressSlide(slide, lookOf(brand), size);
    return {
      ...dressed,
      canvas: { ...dressed.canvas, objects: withPresenter(slide, objectsOf(dressed), size) },
      ...(avatar && slide.avatar && { avatar: { code: avatar } }),
      ...(voice && (slide.language ?? language) === language && { voice, voiceProvider, language }),
    };
  });
  return { ...draft, slides };
}
