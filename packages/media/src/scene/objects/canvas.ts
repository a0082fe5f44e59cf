/** The drawing library's module, as {@link loadCanvas} hands it out. */
export type CanvasLibrary = typeof import('@napi-rs/canvas');

/** A 2-D context of {@link CanvasLibrary}. */
export type Context = import('@napi-rs/canvas').SKRSContext2D;

/** A canvas of {@link CanvasLibrary}. */
export type Canvas = import('@napi-rs/canvas').Canvas;

/**
 * Loads the drawing library without the machine's own fonts. The switch has to stand in the environment before the
 * library is evaluated, which is why it is imported here, on first use, and nowhere else.
 */
export async function loadCanvas(): Promise<CanvasLibrary> {
  process.env.DISABLE_SYSTEM_FONTS_LOAD = '1';
  return import('@napi-rs/canvas');
}
