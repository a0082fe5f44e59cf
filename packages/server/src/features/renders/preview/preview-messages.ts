import type { CustomFont, PackSource, SpeechTrack } from '@figurehead/media';
import type { DocumentProblem } from '../contract.js';
import type { MediaKind } from '../media-check.js';

/** A frame for a preview process to draw. Passed by structured clone. */
export interface PaintJob {
  readonly kind: 'paint';
  /** A video document of the slide, and of the previous one if it is visible. */
  readonly source: { readonly slides: readonly unknown[]; readonly data: unknown };
  /** Index of the slide in `source`. */
  readonly slide: number;
  readonly seconds: number;
  readonly speeches: readonly (SpeechTrack | null)[];
  readonly fonts: readonly CustomFont[];
  /** Presenter packs by the avatar codes of `source`. */
  readonly packs: Readonly<Record<string, PackSource>>;
  /** The pictures and clips of `source`, because a preview process has no network and no credentials. */
  readonly media: readonly FetchedMedium[];
}

/** A medium to open without drawing it. */
export interface OpenJob {
  readonly kind: 'open';
  readonly what: MediaKind;
  readonly medium: FetchedMedium;
}

/** Messages to a preview process. */
export type PreviewJob = PaintJob | OpenJob;

/**
 * A medium fetched by the server: the bytes of a picture, the path of a clip or sound, or the reason why it is missing.
 */
export type FetchedMedium = { readonly src: string } & (
  | { readonly bytes: Uint8Array }
  | { readonly file: string }
  | { readonly missing: string }
);

/** Problems for which a preview process refuses a job. */
export type PreviewRefusal = readonly DocumentProblem[];
