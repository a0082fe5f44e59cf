import type { Batch } from '@figurehead/sdk';
import { downloadZip } from 'client-zip';
import Papa from 'papaparse';
import { withoutPaths } from '../../lib/problems.js';

type Row = Batch['videos'][number];

/**
 * A table of the batch for spreadsheets: row, name, status, link, reason of a failure. Rows count from 1, as in the
 * uploaded file.
 */
export function linksAsCsv(videos: readonly Row[]): string {
  return Papa.unparse(
    videos.map((video) => ({
      row: (video.batchRowId ?? 0) + 1,
      name: video.name,
      status: video.status,
      link: video.url ?? '',
      error: video.error === undefined ? '' : withoutPaths(video.error),
    })),
    // A spreadsheet would execute a cell that starts like a formula.
    { escapeFormulae: true },
  );
}

/** File names of videos in an archive: numbered by row, so that they are unique. */
export function videoFileName(video: Row): string {
  const extension = /\.webm(\?|$)/.test(video.url ?? '') ? 'webm' : 'mp4';
  const name = video.name.replace(/[^\p{L}\p{N}\p{Pd} ._]+/gu, '_').trim();
  return `${String((video.batchRowId ?? 0) + 1).padStart(3, '0')} ${name.slice(0, 100) || 'video'}.${extension}`;
}

/**
 * All finished videos in one archive. They are downloaded one after the other; `onFile` gets the number of started
 * ones.
 */
export async function zipOf(videos: readonly Row[], onFile: (number: number) => void): Promise<Blob> {
  async function* files() {
    let number = 0;
    for (const video of videos) {
      if (video.url === undefined) continue;
      number += 1;
      onFile(number);
      const answer = await fetch(video.url);
      if (!answer.ok) throw new Error(`${video.name} could not be downloaded: the server answered ${answer.status}.`);
      yield { name: videoFileName(video), input: answer, lastModified: new Date(video.updatedAt) };
    }
  }
  return downloadZip(files()).blob();
}
