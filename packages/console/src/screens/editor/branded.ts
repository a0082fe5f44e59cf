import type { Brand } from '@figurehead/sdk';
import { dressSlide, lookOf } from '@figurehead/sdk/layouts';
import { type Draft, sizeOf } from './document.js';

/** The video in a brand: colours, fonts and logo of every slide, its presenter where there is one, its voice where the language is the same. */
export function branded(draft: Draft, brand: Brand): Draft {
  const { avatar, voice, voiceProvider, language } = brand;
  const size = sizeOf(draft);
  const slides = draft.slides.map((slide) => ({
    ...dressSlide(slide, lookOf(brand), size),
    ...(avatar && slide.avatar && { avatar: { code: avatar } }),
    ...(voice && (slide.language ?? language) === language && { voice, voiceProvider, language }),
  }));
  return { ...draft, slides };
}
