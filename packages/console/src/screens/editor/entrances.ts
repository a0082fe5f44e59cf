/** Ways to appear, as rendering knows them. */
export const ENTRANCES = [
  { value: 'none', label: 'At once' },
  { value: 'fade_in', label: 'Fades in' },
  { value: 'slide_in_left', label: 'Slides in from the left' },
  { value: 'slide_in_right', label: 'Slides in from the right' },
  { value: 'slide_in_top', label: 'Slides in from above' },
  { value: 'slide_in_bottom', label: 'Slides in from below' },
  { value: 'zoom_in', label: 'Grows' },
  { value: 'pop', label: 'Pops up' },
];

/** The entrance that an `animation` names, by itself or as its `type`; other spellings than the editor's show as none. */
export function entranceOf(animation: unknown): string {
  const named = typeof animation === 'object' && animation !== null && 'type' in animation ? animation.type : animation;
  return ENTRANCES.some(({ value }) => value === named) ? String(named) : 'none';
}
