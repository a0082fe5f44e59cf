import type { Media } from '@figurehead/contract';

/** What an uploaded file is, as an inspection finds it. Sizes in px as shown. */
export interface MediaFacts {
  readonly type: Media['type'];
  /** Sniffed; for pictures that of the normalised file. */
  readonly contentType: string;
  /** Of the file that slides will use. */
  readonly extension: string;
  readonly width?: number;
  readonly height?: number;
  /** Absent when the file does not say. */
  readonly durationSeconds?: number;
  /** Whether the files of {@link INSPECTED} were written. */
  readonly hasPicture: boolean;
  readonly hasThumbnail: boolean;
}

/** Names of the files that an inspection leaves in its folder. */
export const INSPECTED = { picture: 'picture', thumbnail: 'thumbnail.webp' } as const;

/** Longest side of a small picture, px. */
export const THUMBNAIL_SIDE = 480;

/** What a conversion of video or sound made. */
export interface Transcoded {
  readonly contentType: string;
  readonly durationSeconds: number;
  readonly width?: number;
  readonly height?: number;
}
