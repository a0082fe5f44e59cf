import type { CustomFont, PackSource, SpeechTrack } from '@figurehead/media';
import type { DocumentProblem } from './contract.js';

/** A frame that a preview process is to paint. Travels by structured clone. */
export interface PreviewOrder {
  readonly kind: 'paint';
  readonly id: number;
  /** A video document of the slide, and of the one before it where it is seen. */
  readonly source: { readonly slides: readonly unknown[]; readonly data: unknown };
  /** Index of the slide in `source`. */
  readonly slide: number;
  readonly seconds: number;
  readonly speeches: readonly (SpeechTrack | null)[];
  readonly fonts: readonly CustomFont[];
  /** Presenter packs by the avatar codes of `source`. */
  readonly packs: Readonly<Record<string, PackSource>>;
}

/** Media of a document that is to be looked into, without drawing it. */
export interface InspectionOrder {
  readonly kind: 'inspect';
  readonly id: number;
  readonly what: MediaKind;
  readonly src: string;
}

/** What media are wanted for: something to draw, something to play, something to hear. */
export type MediaKind = 'picture' | 'clip' | 'sound';

/** Media that the process asked for: the bytes of a picture, the path of a clip, or why there is none. */
export interface PreviewMedia {
  readonly kind: 'media';
  readonly ask: number;
  readonly bytes?: Uint8Array;
  readonly file?: string;
  readonly refused?: string;
}

/** To a preview process. */
export type ToPreview = PreviewOrder | InspectionOrder | PreviewMedia;

/** From a preview process. It has no network and no credentials: media come from the server, as `ask`. */
export type FromPreview =
  | { readonly kind: 'ready' }
  | { readonly kind: 'ask'; readonly ask: number; readonly what: 'picture' | 'file'; readonly src: string }
  | { readonly kind: 'painted'; readonly id: number; readonly picture: Uint8Array }
  | { readonly kind: 'inspected'; readonly id: number }
  | { readonly kind: 'refused'; readonly id: number; readonly problems: readonly DocumentProblem[] };
