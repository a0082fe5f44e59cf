import type { Slide } from '@figurehead/sdk';
import type { Draft } from '../document.js';
import { isSame } from './saving.js';

/** A slide of which two versions differ; one may lack it. */
export interface SlideDifference {
  readonly id: number;
  /** Its place, in the own version if it is there. */
  readonly name: string;
  readonly mine: Slide | undefined;
  readonly theirs: Slide | undefined;
}

/** What differs between two versions: slides, and other parts by name. */
export function differencesOf(mine: Draft, theirs: Draft): { slides: SlideDifference[]; others: string[] } {
  const find = (draft: Draft, id: number) => draft.slides.find((slide) => slide.id === id);
  const ids = [...new Set([...mine.slides, ...theirs.slides].map(({ id }) => id))];
  const isEqual = (a: Partial<Draft>, b: Partial<Draft>) =>
    isSame({ name: '', slides: [], data: {}, ...a }, { name: '', slides: [], data: {}, ...b });
  const slides = ids.flatMap((id): SlideDifference[] => {
    const [own, other] = [find(mine, id), find(theirs, id)];
    if (own && other && isEqual({ slides: [own] }, { slides: [other] })) return [];
    const owner = own ? mine : theirs;
    return [{ id, name: `Slide ${owner.slides.findIndex((slide) => slide.id === id) + 1}`, mine: own, theirs: other }];
  });
  const order = (draft: Draft) => draft.slides.map(({ id }) => id).filter((id) => find(mine, id) && find(theirs, id));
  const others = [
    ...(isEqual({ name: mine.name }, { name: theirs.name }) ? [] : [`the name (“${mine.name}”, “${theirs.name}”)`]),
    ...(isEqual({ data: mine.data }, { data: theirs.data }) ? [] : ['the settings of the video']),
    ...(order(mine).join() === order(theirs).join() ? [] : ['the order of the slides']),
  ];
  return { slides, others };
}
