import { compiledUrl } from '@figurehead/media/basic';
import type { MadePhotoPack, PhotoPackOptions } from '@figurehead/media/photo';

export type { MadePhotoPack };

/** Job for the portrait, or for `film` the video, in `file`. */
export type PhotoJob =
  | { readonly kind: 'read'; readonly file: string; readonly points?: PhotoPackOptions['points'] }
  | { readonly kind: 'make' | 'film'; readonly file: string; readonly options: PhotoPackOptions };

/** Program of the processes that read portraits and films. */
export const PHOTO_PROGRAM = compiledUrl('./photo-process.js', import.meta.url);
