import type { ModerationCase, ModerationMode } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { decideRender, type FrozenVideo, findWaiting, listWaiting, type RenderRow } from '../renders/index.js';
import { MEDIA_LINK_SECONDS, readOwnerOf } from '../videos/index.js';
import { FLAGGED_WORDS } from './words.js';

const DEFAULT_REASON = 'A reviewer has refused the video.';

/** Decides whether a rendered video waits for a reviewer: never, always, or when listed words are in it. */
export function reviewVideo(
  workspace: { moderation: ModerationMode },
  video: FrozenVideo,
): { held: boolean; words: string[] } {
  if (workspace.moderation === 'off') return { held: false, words: [] };
  const words = findFlaggedWords(textOf(video));
  return { held: workspace.moderation === 'all' || words.length > 0, words };
}

/** The listed words in a text, each once. */
export function findFlaggedWords(text: string): string[] {
  const lower = text.toLowerCase();
  return FLAGGED_WORDS.filter((word) => new RegExp(`(?<![\\p{L}\\p{N}])${word}s?(?![\\p{L}\\p{N}])`, 'u').test(lower));
}

/** Videos that wait; of all workspaces when none is given. Oldest first. */
export async function listCases(
  kernel: Kernel,
  workspaceId: string | undefined,
  page: { page: number; limit: number },
): Promise<{ cases: ModerationCase[]; total: number }> {
  const offset = (page.page - 1) * page.limit;
  const { rows, total } = await listWaiting(kernel.db, workspaceId, { offset, limit: page.limit });
  return { cases: await Promise.all(rows.map((row) => present(kernel, row))), total };
}

/** Releases a video; false when it does not wait. */
export async function approveVideo(kernel: Kernel, videoId: string): Promise<boolean> {
  const waiting = await findWaiting(kernel.db, videoId);
  return waiting !== undefined && decideRender(kernel, { renderId: waiting.id, videoId }, { approved: true });
}

/** Refuses a video: it ends in error with the reason, without an event. False when it does not wait. */
export async function rejectVideo(kernel: Kernel, videoId: string, reason: string = DEFAULT_REASON): Promise<boolean> {
  const waiting = await findWaiting(kernel.db, videoId);
  return waiting !== undefined && decideRender(kernel, { renderId: waiting.id, videoId }, { approved: false, reason });
}

async function present(kernel: Kernel, row: RenderRow): Promise<ModerationCase> {
  const link = (key: string | undefined) => (key === undefined ? '' : kernel.objects.link(key, MEDIA_LINK_SECONDS));
  return {
    videoId: row.videoId,
    name: row.document.name,
    userId: await readOwnerOf(kernel, row.videoId),
    words: [...(row.result?.words ?? [])],
    url: link(row.result?.videoKey),
    thumbnail: link(row.result?.thumbnailKey),
    createdAt: row.createdAt.toISOString(),
  };
}

function textOf(video: FrozenVideo): string {
  const slides = video.slides.flatMap((slide) => [slide.speech ?? '', ...textsIn(slide.canvas?.objects ?? [])]);
  return [video.name, ...slides].join('\n');
}

/** Text of canvas objects, those in groups too. */
function textsIn(objects: readonly unknown[]): string[] {
  return objects.flatMap((object) => {
    if (typeof object !== 'object' || object === null) return [];
    const { text, objects: children } = object as { text?: unknown; objects?: unknown };
    return [...(typeof text === 'string' ? [text] : []), ...(Array.isArray(children) ? textsIn(children) : [])];
  });
}
