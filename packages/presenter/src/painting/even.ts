/** Chroma samples of 4:2:0 pictures cover two by two px, so edges of boxes are on even ones. The nearest even number. */
export function even(value: number): number {
  return Math.round(value / 2) * 2;
}

/** The next even number that is not smaller. */
export function evenUp(value: number): number {
  return Math.ceil(value / 2) * 2;
}

/** The next even number that is not larger. */
export function evenDown(value: number): number {
  return Math.floor(value / 2) * 2;
}
