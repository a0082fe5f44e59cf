import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Slide, VideoData } from '@figurehead/contract';
import {
  type Assets,
  type CustomFont,
  energyOf,
  type PackSource,
  type ResolvedVoice,
  type SpeechTrack,
  type Utterance,
  type VoiceWish,
} from '@figurehead/media';
import { LRUCache } from 'lru-cache';
import { ApiError, invalidFields } from '../../../kernel/http/error.js';
import { within } from '../../../kernel/waiting.js';
import { RenderProblem } from '../contract.js';
import type { PreviewAssets, PreviewPool } from './preview-pool.js';

/** What previews are made with. */
export interface PreviewParts {
  /** Speaks a text for a workspace, when it is its turn. */
  readonly utter: (workspaceId: string, text: string, voice: ResolvedVoice) => Promise<Utterance>;
  /** Rejects when there is no such voice. */
  readonly resolveVoice: (workspaceId: string, wish: VoiceWish) => Promise<ResolvedVoice>;
  /** Rejects when there is no presenter of this code; the message is for people. */
  readonly resolvePack: (workspaceId: string, code: string) => Promise<PackSource>;
  /** Media that the workspace's document names; `folder` takes what has to be a file. */
  readonly assets: (workspaceId: string, folder: string, signal: AbortSignal) => Assets;
  /** The workspace's fonts as local files. */
  readonly fontFiles: (workspaceId: string) => Promise<readonly CustomFont[]>;
  readonly pool: PreviewPool;
  /** Makes a folder for clips, which is removed at closing. */
  readonly openFolder: () => Promise<string>;
}

/** A frame that somebody wants to see. */
export interface PreviewRequest {
  readonly workspaceId: string;
  /** Of the stored video; the slide as it is in the editor stands in the place of the stored one. */
  readonly slides: readonly Slide[];
  readonly data: VideoData;
  readonly slideId: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Frames of slides on demand. Who creates it closes it. */
export interface Previews {
  /** The frame as WebP. Throws a 400 for what is wrong with the slide, a 404 for an unknown one. */
  paint(request: PreviewRequest): Promise<Uint8Array>;
  close(): Promise<void>;
}

/**
 * What an answer waits for speech that nobody has spoken before: longer, and the picture comes without it (face at rest) while it is spoken for
 * the next one. An English sentence takes 50 ms.
 */
const SPEECH_MS = 150;

/** Tracks that stay known: some 20 kB each. */
const KEPT_TRACKS = 200;

/** Bytes of pictures that stay in memory, so that each keystroke in an editor does not fetch them anew; and for how long, ms. */
const KEPT_BYTES = 64_000_000;
const KEPT_MS = 60_000;

/** How long fetching one picture or clip may take: nobody waits longer for a preview. */
const FETCH_MS = 10_000;

/** Previews as the API serves them: it speaks and fetches here, and leaves all drawing to the pool's processes. */
export function createPreviews(parts: PreviewParts): Previews {
  const tracks = new LRUCache<string, Promise<SpeechTrack | null>>({ max: KEPT_TRACKS });
  const media = cacheMedia(parts);

  /** The slide's speech, or null when it has none or it is not spoken in time. */
  const trackOf = async (workspaceId: string, slide: Slide): Promise<SpeechTrack | null> => {
    const text = slide.speech ?? '';
    if (text.trim() === '') return null;
    const voice = await parts
      .resolveVoice(workspaceId, {
        voice: slide.voice ?? null,
        provider: slide.voiceProvider ?? null,
        language: slide.language ?? null,
      })
      // A voice that is still being chosen must not keep the picture back; rendering names it.
      .catch(() => undefined);
    if (voice === undefined) return null;
    const key = createHash('sha256')
      .update(JSON.stringify([voice, text]))
      .digest('hex');
    const known = tracks.get(key) ?? spoken(parts, { workspaceId, voice, text });
    tracks.set(key, known);
    // What failed may succeed later.
    void known.then((track) => track === null && tracks.delete(key));
    return (await within(SPEECH_MS, known)) ?? null;
  };

  return {
    async paint({ workspaceId, slides, data, slideId, seconds, signal }) {
      const at = slides.findIndex((slide) => slide.id === slideId);
      const slide = slides[at];
      if (slide === undefined) throw new ApiError('notFound', { what: 'slide' });
      const before = slides[at - 1];
      const shown = before !== undefined && dependsOnPast(slide) ? [before, slide] : [slide];
      const speeches = await Promise.all(shown.map((one) => trackOf(workspaceId, one)));
      const order = {
        source: { slides: shown, data },
        slide: shown.length - 1,
        seconds,
        speeches,
        fonts: await parts.fontFiles(workspaceId),
        packs: await packsOf(parts, workspaceId, shown),
      };
      try {
        return await parts.pool.paint(order, { workspaceId, assets: media.assetsOf(workspaceId), signal });
      } catch (error) {
        if (!(error instanceof RenderProblem)) throw error;
        const [first, ...rest] = error.problems.map(({ field, message }) => ({ field: fieldOf(field), message }));
        throw first === undefined ? error : invalidFields([first, ...rest]);
      }
    },
    async close() {
      await parts.pool.close();
      await media.close();
    },
  };
}

/** True when the slide before is seen in this one, or decides whether its presenter comes in anew. */
function dependsOnPast(slide: Slide): boolean {
  const { transition, animation } = slide;
  return (transition != null && transition !== 'none') || (animation !== undefined && animation !== null);
}

/** `slides[1].canvas.objects[0].src` is, to the caller, `slide.canvas.objects[0].src`. */
function fieldOf(path: string): string {
  return path.replace(/^slides\[\d+\]/, 'slide');
}

async function spoken(
  parts: PreviewParts,
  { workspaceId, voice, text }: { workspaceId: string; voice: ResolvedVoice; text: string },
): Promise<SpeechTrack | null> {
  try {
    const { samples, marks } = await parts.utter(workspaceId, text, voice);
    return { samples: samples.length, marks, energy: energyOf(samples) };
  } catch {
    // The provider's trouble is told where the speech itself is asked for.
    return null;
  }
}

async function packsOf(
  parts: PreviewParts,
  workspaceId: string,
  slides: readonly Slide[],
): Promise<Record<string, PackSource>> {
  const packs: Record<string, PackSource> = {};
  for (const { avatar } of slides) {
    if (avatar === undefined || avatar === null) continue;
    const found = await parts.resolvePack(workspaceId, avatar.code).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      throw invalidFields([{ field: 'slide.avatar', message }]);
    });
    packs[avatar.code] = found;
  }
  return packs;
}

/** Names a picture. */
interface Picture {
  readonly workspaceId: string;
  readonly src: string;
}

/** Pictures and clips, kept for a while: an editor asks for the same ones again and again. */
function cacheMedia(parts: PreviewParts): {
  assetsOf(workspaceId: string): PreviewAssets;
  close(): Promise<void>;
} {
  let opening: Promise<string> | undefined;
  const folderOf = (): Promise<string> => {
    opening ??= parts.openFolder().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const pictures = new LRUCache<string, Uint8Array, Picture>({
    maxSize: KEPT_BYTES,
    ttl: KEPT_MS,
    sizeCalculation: ({ length }) => length + 1,
    fetchMethod: async (_key, _stale, { context: { workspaceId, src } }) =>
      parts.assets(workspaceId, await folderOf(), AbortSignal.timeout(FETCH_MS)).picture(src),
  });
  return {
    assetsOf: (workspaceId) => ({
      picture: (src) => pictures.forceFetch(`${workspaceId}\n${src}`, { context: { workspaceId, src } }),
      file: async (src) => parts.assets(workspaceId, await folderOf(), AbortSignal.timeout(FETCH_MS)).file(src),
    }),
    async close() {
      if (opening !== undefined) await rm(await opening, { recursive: true, force: true });
    },
  };
}
