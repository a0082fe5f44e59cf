import type { RenderedFiles } from '@figurehead/media';
import type { Kernel } from '../../../kernel/contract.js';
import type { FrozenVideo } from '../contract.js';
import { attemptPrefix, finishRender, type RenderClaim } from '../records/outcomes.js';
import type * as renders from '../records/store.js';
import type { RenderWork } from './run-step.js';

/** A render whose files are complete in this worker's folder. */
interface FinishedRender {
  readonly claim: RenderClaim;
  readonly files: RenderedFiles;
  readonly workspace: Parameters<RenderWork['review']>[0];
  readonly video: FrozenVideo;
}

/**
 * Marks and stores the files under keys of this attempt, so that a worker that was declared dead cannot overwrite them, then ends
 * the render.
 * @returns false when the claim was lost; then no files remain.
 */
export async function publishFiles(
  kernel: Kernel,
  work: Pick<RenderWork, 'review' | 'credentials'>,
  { claim, files, workspace, video }: FinishedRender,
): Promise<boolean> {
  const review = work.review(workspace, video);
  const credentials = await work.credentials?.sign(video, files);
  const prefix = attemptPrefix(claim);
  const isWebm = files.video.endsWith('.webm');
  const store = async (name: string, file: string, type: string): Promise<string> => {
    await kernel.objects.putFile(`${prefix}${name}`, file, type);
    return `${prefix}${name}`;
  };
  const result: renders.RenderResult = {
    videoKey: await store(isWebm ? 'video.webm' : 'video.mp4', files.video, isWebm ? 'video/webm' : 'video/mp4'),
    lipSyncKey: await store('lip-sync.json.gz', files.lipSync, 'application/gzip'),
    gifKey: files.gif === undefined ? null : await store('preview.gif', files.gif, 'image/gif'),
    thumbnailKey: await store('thumbnail.jpg', files.thumbnailJpeg, 'image/jpeg'),
    subtitlesKey: await store('subtitles.vtt', files.vtt, 'text/vtt; charset=utf-8'),
    srtKey: await store('subtitles.srt', files.srt, 'application/x-subrip; charset=utf-8'),
    report: credentials === undefined ? files.report : { ...files.report, credentials },
    durationSeconds: files.durationSeconds,
    words: review.words,
  };
  await store('thumbnail.webp', files.thumbnailWebp, 'image/webp');
  const finished = await finishRender(kernel, claim, result, review.held);
  if (!finished) await kernel.objects.deletePrefix(prefix);
  return finished;
}
