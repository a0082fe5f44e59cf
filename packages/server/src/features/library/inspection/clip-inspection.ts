import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeAudio, encodePicture, MediaError, type MediaInfo, openVideo, probe } from '@figurehead/media';
import { INSPECTED, type MediaFacts, THUMBNAIL_SIDE } from './media-files.js';
import { RefusedFile } from './refused-file.js';

/** Longest sound or clip, because its sound is in memory during the conversion. */
const MAX_SECONDS = 1800;

/** Inspects an uploaded video or sound and decodes its beginning. Throws {@link RefusedFile}. */
export async function readClip(file: string, folder: string, mime: string): Promise<MediaFacts> {
  return decodeBeginning(file, folder, mime).catch(refuseDamaged);
}

/** Throws {@link RefusedFile} for a problem of the file. */
export function refuseDamaged(cause: unknown): never {
  if (cause instanceof MediaError)
    throw new RefusedFile(`the file is damaged or not supported: ${cause.message}`, { cause });
  throw cause;
}

async function decodeBeginning(file: string, folder: string, mime: string): Promise<MediaFacts> {
  const info = await probe(file);
  if (info.durationSeconds > MAX_SECONDS) {
    throw new RefusedFile(
      `it lasts ${Math.ceil(info.durationSeconds / 60)} minutes; at most ${MAX_SECONDS / 60} are accepted`,
    );
  }
  // The cover picture of a song is also a video track.
  const isVideo = info.video !== undefined && !mime.startsWith('audio/');
  if (!isVideo) await decodeAudio(file, { maxSeconds: 1 });
  return {
    type: isVideo ? 'video' : 'audio',
    contentType: mime,
    extension: isVideo ? 'mp4' : 'aac',
    ...(isVideo && info.video !== undefined ? { width: info.video.width, height: info.video.height } : {}),
    ...(info.durationSeconds > 0 ? { durationSeconds: info.durationSeconds } : {}),
    hasPicture: false,
    hasThumbnail: isVideo && (await writeThumbnail(file, folder, info)),
  };
}

async function writeThumbnail(file: string, folder: string, info: MediaInfo): Promise<boolean> {
  const { width, height } = info.video ?? { width: 16, height: 9 };
  const shrink = Math.min(1, THUMBNAIL_SIDE / Math.max(width, height));
  const even = (side: number): number => Math.max(2, Math.round((side * shrink) / 2) * 2);
  const reader = await openVideo(file, { width: even(width), height: even(height) });
  try {
    const frame = await reader.frameAt(Math.min(1, info.durationSeconds / 2));
    await writeFile(join(folder, INSPECTED.thumbnail), await encodePicture(frame, 'webp'));
    return true;
  } finally {
    await reader.close();
  }
}
