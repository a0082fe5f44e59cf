import type { RgbaImage } from '@figurehead/presenter/frame';

/** A decoded picture. */
export type Picture = RgbaImage;

/** A point of a picture in px, pixel centres at whole numbers. */
export interface Point {
  readonly x: number;
  readonly y: number;
}
