import type { CanvasObject } from '../document/objects/index.js';
import type { Frame } from './frame.js';
import type { BrandRole } from './look.js';

/** A layout of a slide. Its objects have roles instead of colours; templates fill in texts by their `id`. */
export interface SlideLayout {
  readonly label: string;
  readonly group: LayoutGroup;
  /** Search words, in addition to its label. */
  readonly words: string;
  readonly backdrop: BrandRole;
  /** The objects on a canvas, bottom first. */
  readonly objects: (on: Frame) => CanvasObject[];
}

/** Groups of layouts, in the order in which they are offered. */
export const LAYOUT_GROUPS = ['Opening', 'Text', 'Comparison', 'Numbers', 'Steps', 'Closing'] as const;
export type LayoutGroup = (typeof LAYOUT_GROUPS)[number];
