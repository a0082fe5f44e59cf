import type { FacePointName } from '@figurehead/contract/document';

/** One of {@link FACE_POINTS}: fractions of the picture's width and height from its top left corner. */
export interface FacePoint {
  readonly name: FacePointName;
  readonly x: number;
  readonly y: number;
}

/** What becomes of a photograph's background: cut away, or kept as a rectangle in which the person moves. */
export type PhotoBackground = 'removed' | 'original';

/** Options of `makePhotoPack`. */
export interface PhotoPackOptions {
  /** Where the pack is written; created when missing. */
  readonly folder: string;
  /** The pack's name. */
  readonly name: string;
  /**
   * Folders of packs that supply what a portrait does not show; the one with the closest skin tone is used. At least
   * one.
   */
  readonly donors: readonly string[];
  /** All of {@link FACE_POINTS}, corrected by the user. */
  readonly points?: readonly FacePoint[];
  /** Default: removed, unless the picture's edge cuts the head, which would end flat in the middle of a slide. */
  readonly background?: PhotoBackground;
}

/** What `makePhotoPack` has decided. */
export interface MadePhotoPack {
  readonly background: PhotoBackground;
}

/** The portrait cannot become a presenter; the message says why, for users. */
export class PortraitRefused extends Error {
  override readonly name = 'PortraitRefused';
}
