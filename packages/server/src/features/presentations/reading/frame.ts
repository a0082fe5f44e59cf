import { type AspectFormat, FORMATS, frameSize } from '@figurehead/contract';

/** Width and height, px, pt or canvas units. */
export interface PageSize {
  readonly width: number;
  readonly height: number;
}

/** Position of pages in a video's picture. */
export interface PageFrame {
  readonly format: AspectFormat;
  /** Of the encoded picture, px. */
  readonly pixels: PageSize;
  /** Of the canvas that documents are written in. */
  readonly canvas: PageSize;
}

/** Resolution of imported videos as a value of `data.resolution`, corresponding to {@link PageFrame.pixels}. */
export const RESOLUTION = 'FullHD';

/** The video format that wastes least of a page's area (any unit): 4:3 pages become 16:9, portrait ones 9:16. */
export function pageFrameOf(page: PageSize): PageFrame {
  const ratio = page.width / page.height;
  const format = ratio >= 1.2 ? '16_9' : ratio <= 0.8 ? '9_16' : '1_1';
  return { format, pixels: frameSize(format, RESOLUTION), canvas: FORMATS[format] };
}

/** Where a page is on a canvas on which it is centred as large as it fits: canvas units of a unit of the page. */
export function placeOf(
  page: PageSize,
  canvas: PageSize,
): { readonly scale: number; readonly left: number; readonly top: number } {
  const scale = Math.min(canvas.width / page.width, canvas.height / page.height);
  return { scale, left: (canvas.width - page.width * scale) / 2, top: (canvas.height - page.height * scale) / 2 };
}

/** Canvas units that documents keep. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
