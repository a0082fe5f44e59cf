/** How a slide replaces the previous one. */
export const TRANSITIONS = {
  none: { label: 'None' },
  fade: { label: 'Fades over' },
  slide_left: { label: 'Pushes to the left' },
  slide_right: { label: 'Pushes to the right' },
  slide_up: { label: 'Pushes up' },
  slide_down: { label: 'Pushes down' },
  zoom: { label: 'Zooms' },
} as const;
export type Transition = keyof typeof TRANSITIONS;
