// The drawing kernel. It owns no memory: every pointer comes from the host, which allocates above `heapBase`.
export { closeLids, copyPlane, drawMouth, shiftEyes } from './face';
export { drawHead } from './head';
export { extendEdges, filterColumns, filterRows, summarise, takeSharp } from './resample';
export { drawSprite } from './sprite';

/** First byte that the host may use. */
export function heapBase(): usize {
  return __heap_base;
}
