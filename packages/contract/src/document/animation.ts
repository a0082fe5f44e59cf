/** Entrances of an object or a slide; `none` moves nothing. */
export const ENTRANCES = {
  none: { label: 'At once' },
  fade_in: { label: 'Fades in' },
  slide_in_left: { label: 'Slides in from the left' },
  slide_in_right: { label: 'Slides in from the right' },
  slide_in_top: { label: 'Slides in from above' },
  slide_in_bottom: { label: 'Slides in from below' },
  zoom_in: { label: 'Grows' },
  zoom_out: { label: 'Shrinks' },
  pop: { label: 'Pops up' },
} as const;
/** A key of {@link ENTRANCES}. */
export type Entrance = keyof typeof ENTRANCES;

/** Exits of an object or a slide; `none` moves nothing. */
export const EXITS = {
  none: { label: 'At once' },
  fade_out: { label: 'Fades out' },
  slide_out_left: { label: 'Slides out to the left' },
  slide_out_right: { label: 'Slides out to the right' },
  slide_out_top: { label: 'Slides out upwards' },
  slide_out_bottom: { label: 'Slides out downwards' },
  zoom_out: { label: 'Grows away' },
  zoom_in: { label: 'Shrinks away' },
  pop: { label: 'Vanishes' },
} as const;
/** A key of {@link EXITS}. */
export type Exit = keyof typeof EXITS;
