import type { ModerationCase, ModerationMode } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import type { PageQuery } from '../../kernel/database/page.js';
import { decideRender, type FrozenVideo, findWaiting, listWaiting, type RenderRow } from '../renders/index.js';
import { MEDIA_LINK_SECONDS, readOwnerOf } from '../videos/index.js';
import { FLAGGED_WORDS } from './words.js';

/** Scripts that are written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
/** Where a word may start: after a non-letter, and anywhere in scripts without spaces. */
const BEGINNING =
  /(?<![\p{L}\p{N}])\S|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu;
/** End of a word: an optional plural `s`, then no letter. */
const ENDING = /^s?(?![\p{L}\p{N}])/u;

const DEFAULT_REASON = 'A reviewer has refused the video.';

/** Result of a review: whether the video needs a reviewer, and the listed words found, each once. */
interface Review {
  readonly held: boolean;
  readonly words: string[];
}

/**
 * Decides whether a rendered video needs a reviewer: never, always, or when its name, speech or canvas text contains
 * listed words, depending on the workspace's mode.
 * @param words in any case; a word also matches its plural in `s`, but not parts of longer words.
 */
export function createReview(
  words: readonly string[] = FLAGGED_WORDS,
): (workspace: { moderation: ModerationMode }, video: FrozenVideo) => Review {
  const listed = new Set(words.map(fold));
  const lengths = [...new Set([...listed].map((word) => word.length))];
  return ({ moderation }, video) => {
    if (moderation === 'off') return { held: false, words: [] };
    const found = findWords(fold(textOf(video)), listed, lengths);
    return { held: moderation === 'all' || found.length > 0, words: found };
  };
}

/**
 * The listed words in a text. Looks up each word start for each length of listed words, because a pattern of thousands
 * of words would take minutes.
 */
function findWords(text: string, listed: ReadonlySet<string>, lengths: readonly number[]): string[] {
  const found = new Set<string>();
  for (const { index } of text.matchAll(BEGINNING)) {
    for (const length of lengths) {
      const word = text.slice(index, index + length);
      if (listed.has(word) && (UNSPACED.test(word) || ENDING.test(text.slice(index + length, index + length + 3)))) {
        found.add(word);
      }
    }
  }
  return [...found].sort();
}

/** Normalises what looks the same: full-width letters, combined accents, case, and white space. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ');
}

/** Videos waiting for review; of all workspaces when none is given. Oldest first. */
export async function listCases(kernel: Kernel, workspaceId: string | undefined, page: PageQuery) {
  const { rows, total } = await listWaiting(kernel.db, workspaceId, page);
  return { cases: await Promise.all(rows.map((row) => present(kernel, row))), total };
}

/** Releases a video; false when it is not waiting for review. */
export async function approveVideo(kernel: Kernel, videoId: string): Promise<boolean> {
  const waiting = await findWaiting(kernel.db, videoId);
  return waiting !== undefined && decideRender(kernel, { renderId: waiting.id, videoId }, { approved: true });
}

/**
 * Rejects a video: it gets the status error with the reason, without an event. False when it is not waiting for review.
 */
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
