import type { Timeline } from '../scene/timeline/timeline.js';
import type { Reuse } from './contract.js';
import type { RenderedSegment } from './segments/segments.js';

/** Records which parts a render reuses from earlier ones. */
export interface ReuseTally {
  readonly onSegment: (segment: Pick<RenderedSegment, 'startFrame' | 'reused'>) => void;
  readonly onDrawn: (slide: number, reused: boolean) => void;
  /** Reused parts of a slide's pictures. */
  of(slide: number): Reuse[];
}

export function tallyReuse(timeline: Pick<Timeline, 'slides'>): ReuseTally {
  const encoded = new Set<number>();
  const drawn = new Set<number>();
  return {
    onSegment: ({ startFrame, reused }) => {
      if (!reused) encoded.add(slideAt(timeline, startFrame));
    },
    onDrawn: (slide, reused) => {
      if (!reused) drawn.add(slide);
    },
    of: (slide) => [
      // A slide that was never requested was not drawn either.
      ...(drawn.has(slide) ? [] : (['background'] as const)),
      ...(encoded.has(slide) ? [] : (['pictures'] as const)),
    ],
  };
}

function slideAt({ slides }: Pick<Timeline, 'slides'>, frame: number): number {
  return slides.findIndex(({ startFrame, frames }) => frame >= startFrame && frame < startFrame + frames);
}
