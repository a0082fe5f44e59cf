import type { CanvasObject } from '../document/objects/index.js';
import type { Frame } from './frame.js';
import type { BrandRole } from './look.js';

/** A slide to begin with. Its objects have roles instead of colours; the `id` of a text is how a template fills it in. */
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
