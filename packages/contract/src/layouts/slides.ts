import { COMPARISON_LAYOUTS } from './slides/comparison.js';
import { NUMBER_LAYOUTS } from './slides/numbers.js';
import { OPENING_LAYOUTS } from './slides/opening.js';
import { STEP_LAYOUTS } from './slides/steps.js';
import { TEXT_LAYOUTS } from './slides/text.js';

/** Layouts of slides, by name. */
export const SLIDE_LAYOUTS = {
  ...OPENING_LAYOUTS,
  ...TEXT_LAYOUTS,
  ...COMPARISON_LAYOUTS,
  ...NUMBER_LAYOUTS,
  ...STEP_LAYOUTS,
};
export type LayoutName = keyof typeof SLIDE_LAYOUTS;
