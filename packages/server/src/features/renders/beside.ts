import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { encodeGif, type LipSyncSheet, type RenderedVideo } from '@figurehead/media';
import type { RenderedFiles, RenderReport } from './contract.js';

const squeeze = promisify(gzip);

/** What is written beside a video, and in which folder. */
export interface BesideJob {
  readonly folder: string;
  /** File of the finished video. */
  readonly video: string;
  readonly fps: number;
  readonly wantsGif: boolean;
  /** The video is transparent. */
  readonly alpha: boolean;
  readonly lipSync: LipSyncSheet;
  readonly contentHash: string;
  readonly slides: RenderReport['slides'];
}

/** Writes the files that belong to a rendered video into the run's folder. */
export async function writeBeside(rendered: RenderedVideo, job: BesideJob): Promise<RenderedFiles> {
  const { folder, video, contentHash, slides } = job;
  const put = async (name: string, content: string | Uint8Array): Promise<string> => {
    const file = join(folder, name);
    await writeFile(file, content);
    return file;
  };
  const { durationSeconds, frames, reusedSegments, segments } = rendered;
  return {
    video,
    thumbnailJpeg: await put('thumbnail.jpg', rendered.thumbnail.jpeg),
    thumbnailWebp: await put('thumbnail.webp', rendered.thumbnail.webp),
    vtt: await put('subtitles.vtt', rendered.vtt),
    srt: await put('subtitles.srt', rendered.srt),
    // Numbers as text, tenfold smaller so: an hour at 25 frames/s is about 2 MB.
    lipSync: await put('lip-sync.json.gz', await squeeze(JSON.stringify(job.lipSync))),
    ...(job.wantsGif
      ? { gif: await put('preview.gif', await encodeGif(video, rendered.thumbnailFrame / job.fps, job)) }
      : {}),
    durationSeconds,
    report: { contentHash, frames, segments, reusedSegments, slides },
  };
}
