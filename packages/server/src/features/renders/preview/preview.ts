import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { isRecorded, type Slide, type VideoData } from '@figurehead/contract';
import {
  type Assets,
  type CustomFont,
  energyOf,
  type PackSource,
  type ResolvedVoice,
  type SpeechTrack,
  type SpokenText,
  type VoiceRequest,
} from '@figurehead/media';
import { LRUCache } from 'lru-cache';
import { ApiError, invalidFields } from '../../../kernel/errors.js';
import { within } from '../../../kernel/waiting.js';
import { RenderProblem } from '../contract.js';
import { reasonOf } from '../problems.js';
import type { PreviewAssets, PreviewPool } from './preview-pool.js';

/** Services that previews need. */
export interface PreviewParts {
  /** Synthesises a text for a workspace, in its turn. */
  readonly utter: (workspaceId: string, text: string, voice: ResolvedVoice) => Promise<SpokenText>;
  /** Reads a recording of a workspace's slide, in its turn. Rejects when it cannot be used. */
  readonly record: (
    workspaceId: string,
    wish: { readonly src: string; readonly script: string; readonly language: string | null },
  ) => Promise<SpeechTrack>;
  /** Rejects when there is no such voice. */
  readonly resolveVoice: (workspaceId: string, request: VoiceRequest) => Promise<ResolvedVoice>;
  /** Rejects when there is no presenter with this code; the message is for users. */
  readonly resolvePack: (workspaceId: string, code: string) => Promise<PackSource>;
  /** Media of the workspace's document; `folder` stores files. */
  readonly assets: (workspaceId: string, folder: string, signal: AbortSignal) => Assets;
  /** The workspace's fonts as local files. */
  readonly fontFiles: (workspaceId: string) => Promise<readonly CustomFont[]>;
  readonly pool: PreviewPool;
  /** Creates a folder for clips, which is removed on close. */
  readonly openFolder: () => Promise<string>;
}

/** A requested frame. */
export interface PreviewRequest {
  readonly workspaceId: string;
  /** Slides of the stored video, with the editor's version in place of the stored slide. */
  readonly slides: readonly Slide[];
  readonly data: VideoData;
  readonly slideId: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Frames of slides on demand. The caller closes it. */
export interface Previews {
  /** The frame as WebP. Throws a 400 for problems of the slide, a 404 for an unknown one. */
  paint(request: PreviewRequest): Promise<Uint8Array>;
  close(): Promise<void>;
}

/**
 * Maximum wait for new speech: if it takes longer, the picture shows an idle face, and the speech is synthesised for
 * the next request. An English sentence takes 50 ms.
 */
const SPEECH_MS = 150;

/** Maximum cached tracks: some 20 kB each. */
const KEPT_TRACKS = 200;

/**
 * Maximum bytes of cached pictures, so that a keystroke in an editor does not fetch them again, and their lifetime in
 * ms.
 */
const KEPT_BYTES = 64_000_000;
const KEPT_MS = 60_000;

/** Time limit for fetching one picture or clip, because a preview should not take longer. */
const FETCH_MS = 10_000;

/** Previews of the API: it synthesises speech and fetches media here, and draws in the pool's processes. */
export function createPreviews(parts: PreviewParts): Previews {
  const tracks = new LRUCache<string, Promise<SpeechTrack | null>>({ max: KEPT_TRACKS });
  const media = cacheMedia(parts);

  /** The slide's speech, or null when it has none or it is not there in time. */
  const trackOf = async (workspaceId: string, slide: Slide): Promise<SpeechTrack | null> => {
    const found = isRecorded(slide)
      ? recordedTrack(parts, workspaceId, slide)
      : await spokenTrack(parts, workspaceId, slide);
    if (found === undefined) return null;
    const { facts, make } = found;
    const key = createHash('sha256')
      .update(JSON.stringify([workspaceId, facts]))
      .digest('hex');
    // Problems of voices and recordings are reported when the speech itself is requested; a failure may succeed later.
    const known = tracks.get(key) ?? make().catch(() => null);
    tracks.set(key, known);
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
        // A presenter that was deleted meanwhile is named instead of the failure to read it.
        await packsOf(parts, workspaceId, shown);
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

/** True when the previous slide is visible in this one, or determines whether its presenter enters. */
function dependsOnPast(slide: Slide): boolean {
  const { transition, animation } = slide;
  return (transition != null && transition !== 'none') || (animation !== undefined && animation !== null);
}

/** `slides[1].canvas.objects[0].src` is `slide.canvas.objects[0].src` for the caller. */
function fieldOf(path: string): string {
  return path.replace(/^slides\[\d+\]/, 'slide');
}

/** Everything that a slide's speech depends on, and how it is made. */
interface TrackSource {
  readonly facts: unknown;
  readonly make: () => Promise<SpeechTrack>;
}

async function spokenTrack(parts: PreviewParts, workspaceId: string, slide: Slide): Promise<TrackSource | undefined> {
  const text = slide.speech ?? '';
  if (text.trim() === '') return undefined;
  const voice = await parts
    .resolveVoice(workspaceId, {
      voice: slide.voice ?? null,
      provider: slide.voiceProvider ?? null,
      language: slide.language ?? null,
      avatar: slide.avatar?.code ?? null,
    })
    // A problem with the voice must not block the picture; rendering reports it.
    .catch((error: unknown) => {
      reasonOf(error);
      return undefined;
    });
  if (voice === undefined) return undefined;
  const make = async (): Promise<SpeechTrack> => {
    const { samples, marks } = await parts.utter(workspaceId, text, voice);
    return { samples: samples.length, marks, energy: energyOf(samples) };
  };
  return { facts: [voice, text], make };
}

function recordedTrack(parts: PreviewParts, workspaceId: string, slide: Slide): TrackSource | undefined {
  const { recording, speech, language } = slide;
  if (!recording) return undefined;
  const wish = { src: recording.src, script: speech ?? '', language: language ?? null };
  return { facts: wish, make: () => parts.record(workspaceId, wish) };
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
      throw invalidFields([{ field: 'slide.avatar', message: reasonOf(error) }]);
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

/** A cache of pictures and clips, because an editor requests the same ones repeatedly. */
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
