import { type AspectFormat, FORMATS, frameSize } from '@figurehead/contract';

/** How pages lie in a video's picture. */
export interface Frame {
  readonly format: AspectFormat;
  /** Of the encoded picture, px. */
  readonly pixels: { readonly width: number; readonly height: number };
  /** Of the canvas that documents are written in. */
  readonly canvas: { readonly width: number; readonly height: number };
}

/** Resolution of imported videos, as `data.resolution` names it; {@link Frame.pixels} belongs to it. */
export const RESOLUTION = 'FullHD';

/** The video format that loses least of pages of this size (any unit): 4:3 pages go into 16:9, upright ones into 9:16. */
export function frameOf(page: { width: number; height: number }): Frame {
  const ratio = page.width / page.height;
  const format = ratio >= 1.2 ? '16_9' : ratio <= 0.8 ? '9_16' : '1_1';
  return { format, pixels: frameSize(format, RESOLUTION), canvas: FORMATS[format] };
}
