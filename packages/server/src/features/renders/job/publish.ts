import type { RenderedFiles } from '@figurehead/media';
import type { Kernel } from '../../../kernel/contract.js';
import { attemptPrefix, finishRender, type RenderClaim, type renders } from '../records/index.js';

/**
 * Stores the files under keys of this attempt, so that a worker that was declared dead cannot overwrite them, then ends
 * the render.
 * @returns false when the claim was lost; then no files remain.
 */
export async function publishFiles(
  kernel: Kernel,
  { claim, files, review }: { claim: RenderClaim; files: RenderedFiles; review: { held: boolean; words: string[] } },
): Promise<boolean> {
  const prefix = attemptPrefix(claim);
  const isWebm = files.video.endsWith('.webm');
  const videoKey = `${prefix}video.${isWebm ? 'webm' : 'mp4'}`;
  const gifKey = files.gif === undefined ? null : `${prefix}preview.gif`;
  await kernel.objects.putFile(videoKey, files.video, isWebm ? 'video/webm' : 'video/mp4');
  await kernel.objects.putFile(`${prefix}lip-sync.json.gz`, files.lipSync, 'application/gzip');
  if (files.gif !== undefined) await kernel.objects.putFile(`${prefix}preview.gif`, files.gif, 'image/gif');
  await kernel.objects.putFile(`${prefix}thumbnail.jpg`, files.thumbnailJpeg, 'image/jpeg');
  await kernel.objects.putFile(`${prefix}thumbnail.webp`, files.thumbnailWebp, 'image/webp');
  await kernel.objects.putFile(`${prefix}subtitles.vtt`, files.vtt, 'text/vtt; charset=utf-8');
  await kernel.objects.putFile(`${prefix}subtitles.srt`, files.srt, 'application/x-subrip; charset=utf-8');
  const result: renders.RenderResult = {
    videoKey,
    thumbnailKey: `${prefix}thumbnail.jpg`,
    subtitlesKey: `${prefix}subtitles.vtt`,
    srtKey: `${prefix}subtitles.srt`,
    gifKey,
    lipSyncKey: `${prefix}lip-sync.json.gz`,
    report: files.report,
    durationSeconds: files.durationSeconds,
    words: review.words,
  };
  const finished = await finishRender(kernel, claim, result, review.held);
  if (!finished) await kernel.objects.deletePrefix(prefix);
  return finished;
}
