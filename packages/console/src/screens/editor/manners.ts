import type { Slide } from '@figurehead/sdk';

/** Ways in which a slide replaces the one before, as rendering knows them. */
export const TRANSITIONS = [
  { value: 'none', label: 'Cuts' },
  { value: 'fade', label: 'Fades over' },
  { value: 'slide_left', label: 'Pushes to the left' },
  { value: 'slide_right', label: 'Pushes to the right' },
  { value: 'slide_up', label: 'Pushes up' },
  { value: 'slide_down', label: 'Pushes down' },
  { value: 'zoom', label: 'Zooms' },
];

/** Manners of a presenter. */
export const EXPRESSIONS: readonly { readonly value: NonNullable<Slide['expression']>; readonly label: string }[] = [
  { value: 'neutral', label: 'Neutral' },
  { value: 'friendly', label: 'Friendly' },
  { value: 'serious', label: 'Serious' },
  { value: 'excited', label: 'Excited' },
];

/** The transition that a slide names; other spellings than the editor's show as a cut. */
export function transitionOf(slide: Slide): string {
  return TRANSITIONS.some(({ value }) => value === slide.transition) ? String(slide.transition) : 'none';
}
