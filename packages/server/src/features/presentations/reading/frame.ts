import { type AspectFormat, FORMATS, frameSize } from '@figurehead/contract';

/** Position of pages in a video's picture. */
export interface PageFrame {
  readonly format: AspectFormat;
  /** Of the encoded picture, px. */
  readonly pixels: { readonly width: number; readonly height: number };
  /** Of the canvas that documents are written in. */
  readonly canvas: { readonly width: number; readonly height: number };
}

/** Resolution of imported videos as a value of `data.resolution`, corresponding to {@link PageFrame.pixels}. */
export const RESOLUTION = 'FullHD';

/** The video format that wastes least of a page's area (any unit): 4:3 pages become 16:9, portrait ones 9:16. */
export function pageFrameOf(page: { width: number; height: number }): PageFrame {
  const ratio = page.width / page.height;
  const format = ratio >= 1.2 ? '16_9' : ratio <= 0.8 ? '9_16' : '1_1';
  return { format, pixels: frameSize(format, RESOLUTION), canvas: FORMATS[format] };
}
