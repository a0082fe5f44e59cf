/** Pause before a slide's first word and after its last, in seconds, because cuts inside a breath look abrupt. */
export const LEAD_IN_SECONDS = 0.3;
/** See {@link LEAD_IN_SECONDS}. */
export const TAIL_SECONDS = 0.5;
/** Seconds for which a slide without speech and duration is shown. */
export const SILENT_SECONDS = 3;

/** Seconds of a slide before its speech begins: whole frames, so that sound and picture start together. */
export function leadInSeconds(fps: number): number {
  return Math.round(LEAD_IN_SECONDS * fps) / fps;
}
