/** `3t² − 2t³` of x between `from` and `to`, 0 before, 1 after. */
export function smoothStep(from: number, to: number, x: number): number {
  const t = Math.min(Math.max((x - from) / (to - from), 0), 1);
  return t * t * (3 - 2 * t);
}
