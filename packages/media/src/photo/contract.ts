import type { FacePointName } from '@figurehead/contract/document';

/** One of {@link FACE_POINTS}: fractions of the picture's width and height from its top left corner. */
export interface FacePoint {
  readonly name: FacePointName;
  readonly x: number;
  readonly y: number;
}

/** What is seen in a portrait. */
export interface PortraitReading {
  /** Of the upright picture, px. */
  readonly width: number;
  readonly height: number;
  /** All of {@link FACE_POINTS}; empty when there is no face. */
  readonly points: readonly FacePoint[];
  /** Why it cannot become a presenter: sentences for people; empty when it can. */
  readonly problems: readonly string[];
}

/** How a presenter is made of a portrait. */
export interface PhotoPackOptions {
  /** Where the pack is written; made when it is missing. */
  readonly folder: string;
  /** The pack's name. */
  readonly name: string;
  /** Folders of packs that may lend what a portrait does not show; the one whose skin is most alike does. At least one. */
  readonly donors: readonly string[];
  /** All of {@link FACE_POINTS}, put right by a person. */
  readonly points?: readonly FacePoint[];
}

/** A portrait that cannot become a presenter; the message says why, for people. */
export class PortraitRefused extends Error {
  override readonly name = 'PortraitRefused';
}
