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

/** The layouts of one group; without another `backdrop` they are on the brand's background. */
export function layoutsOf<const K extends string>(
  group: LayoutGroup,
  layouts: Readonly<Record<K, Omit<SlideLayout, 'group' | 'backdrop'> & Partial<Pick<SlideLayout, 'backdrop'>>>>,
): Readonly<Record<K, SlideLayout>> {
  const all = Object.entries<(typeof layouts)[K]>(layouts);
  return Object.fromEntries(
    all.map(([name, layout]) => [name, { group, backdrop: 'background', ...layout }]),
  ) as Record<K, SlideLayout>;
}
