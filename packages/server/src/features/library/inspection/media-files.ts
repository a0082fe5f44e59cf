import type { Media } from '@figurehead/contract';

/** Result of inspecting an uploaded file. Sizes in px as displayed. */
export interface MediaFacts {
  readonly type: Media['type'];
  /** Detected type; for pictures that of the normalised file. */
  readonly contentType: string;
  /** Size of the file that slides will use. */
  readonly extension: string;
  readonly width?: number;
  readonly height?: number;
  /** Absent when the file does not contain it. */
  readonly durationSeconds?: number;
  /** What of the file is not shown, for its owner; absent when there is nothing. */
  readonly warnings?: readonly string[];
  /** Whether the files of {@link INSPECTED} were written. */
  readonly hasPicture: boolean;
  readonly hasThumbnail: boolean;
}

/** Names of the files that an inspection leaves in its folder. */
export const INSPECTED = { picture: 'picture', thumbnail: 'thumbnail.webp' } as const;

/** Longest side of a small picture, px. */
export const THUMBNAIL_SIDE = 480;

/** Result of converting a video or sound. */
export interface Transcoded {
  readonly contentType: string;
  readonly extension: string;
  readonly durationSeconds: number;
  readonly width?: number;
  readonly height?: number;
}
