/** Stillness before a slide's first word and after its last, in seconds: cuts inside a breath look torn. */
export const LEAD_IN_SECONDS = 0.3;
/** See {@link LEAD_IN_SECONDS}. */
export const TAIL_SECONDS = 0.5;
/** How long a slide is shown that neither speaks nor says how long it lasts. */
export const SILENT_SECONDS = 3;

/** Seconds of a slide before its speech begins: whole frames, so that sound and picture start together. */
export function leadInSeconds(fps: number): number {
  return Math.round(LEAD_IN_SECONDS * fps) / fps;
}
