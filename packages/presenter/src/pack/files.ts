import type { Framing } from '@figurehead/contract/document';
import type { DrawingKernel } from '../drawing/kernel.js';

/** What of a pack is shown. */
export interface PackLook {
  /** Name of the variant; absent: the pack itself. */
  readonly variant?: string;
  /** `auto` leaves it to the variant. */
  readonly framing: Framing;
}

/** The files of a pack, by their names in its folder: `manifest.json`, `variants/red/base.webp`. */
export interface PackFiles {
  /** @throws PackError for a file that cannot be read. */
  read(name: string): Promise<Uint8Array>;
  has(name: string): Promise<boolean>;
  /** Px of the manifest per px of a picture: more than 1 in archives for viewers of small pictures. */
  shrinkOf(name: string): number;
  /** What messages call a file. */
  pathOf(name: string): string;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Decodes the pictures of packs. */
export interface PictureDecoder {
  /**
   * @param channels 1: grey; 3: sRGB; 4: sRGB with straight alpha
   * @returns rows from the top without padding; their size is checked by the caller.
   * @throws whatever the platform's decoder throws for bytes that are not such a picture.
   */
  decode(bytes: Uint8Array, size: Size, channels: 1 | 3 | 4): Promise<DecodedPicture>;
  /** Enlarges pictures; asked for where one is smaller than it is shown. */
  kernel(): Promise<DrawingKernel>;
}

/** A decoded picture as it was found. */
export interface DecodedPicture extends Size {
  readonly channels: number;
  readonly data: Uint8Array;
}
