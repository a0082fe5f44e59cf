import { join } from 'node:path';
import {
  createPackLoader,
  createThreadCache,
  openFolderStore,
  openFonts,
  openSegmentCache,
  type RenderCaches,
  type Speech,
  type ThreadCache,
  type VoiceRequest,
} from '@figurehead/media';
import type { Logger } from 'pino';
import { type Avatars, createAvatars, presenterOf } from '../features/avatars/index.js';
import { fontFilesOf } from '../features/library/index.js';
import { mediaSourcesOf, openMediaSources } from '../features/library/offline.js';
import { createPipeline, shareSegments } from '../features/renders/engine/index.js';
import type { RenderPipeline } from '../features/renders/index.js';
import { createPreviews, PreviewPool, type Previews } from '../features/renders/preview/index.js';
import {
  createSpeechMetrics,
  createVoices,
  openSpeech,
  recordingOf,
  type SpeechMetrics,
  type Voices,
} from '../features/voices/index.js';
import type { Config } from '../kernel/config/config.js';
import type { Kernel } from '../kernel/contract.js';

/** Cached encoded segments for the next render of a workspace's videos. */
const CACHE_BYTES = 2_000_000_000;
/** Cached drawn slides and spoken audio: 0.2 MB per slide and second. */
const DRAWINGS_BYTES = 500_000_000;
const SPEECH_BYTES = 500_000_000;

/** The media engine as features use it. The kernel's lifecycle closes it. */
export interface Engine {
  readonly voices: Voices;
  readonly avatars: Avatars;
  readonly pipeline: RenderPipeline;
  readonly previews: Previews;
  /** Speech metrics of this process. */
  readonly speechMetrics: SpeechMetrics;
}

/** The parts of the engine that need no database. {@link createEngine} closes them with the lifecycle. */
export interface EngineParts {
  readonly speech: Speech;
  readonly threadCache: ThreadCache;
  readonly loadPack: ReturnType<typeof createPackLoader>;
  readonly speechMetrics: SpeechMetrics;
  /** Lets cloned voices read their recordings; until then there are none. */
  readonly attach: (kernel: Kernel) => void;
}

/** Opens the parts of an engine. Heavy modules load on first use. */
export function openEngineParts(config: Config, log: Logger): EngineParts {
  const speechMetrics = createSpeechMetrics();
  let kernel: Kernel | undefined;
  const speech = openSpeech(config, {
    onUnavailable: (provider, error) => log.warn({ err: error, provider }, 'a speech provider cannot list its voices'),
    onSpoken: speechMetrics.onSpoken,
    recordingOf: async (id) => kernel && recordingOf(kernel)(id),
  });
  const attach = (opened: Kernel): void => {
    kernel = opened;
  };
  return { speech, threadCache: createThreadCache(), loadPack: createPackLoader(), speechMetrics, attach };
}

/**
 * Creates the engine for the API (voices, dry runs) and the worker (renders).
 * @param options.nvenc encodes H.264 on the graphics card.
 * @param options.parts opened here when absent.
 */
export function createEngine(
  kernel: Kernel,
  options: { readonly nvenc?: boolean; readonly parts?: EngineParts } = {},
): Engine {
  const parts = options.parts ?? openEngineParts(kernel.config, kernel.log);
  parts.attach(kernel);
  const { speech, threadCache, loadPack, speechMetrics } = parts;
  const voices = createVoices(kernel, speech);
  const avatars = createAvatars(kernel);
  const resolveVoice = voiceResolver(kernel, { voices, avatars });
  const pool = new PreviewPool();
  const pipeline = createPipeline({
    temporary: kernel.temporary,
    resources: (workspaceId, run) => ({
      speech,
      resolveVoice: (wish) => resolveVoice(workspaceId, wish),
      resolvePack: (code) => avatars.resolve(workspaceId, code),
      fonts: async () => openFonts(await fontFilesOf(kernel, workspaceId)),
      assets: openMediaSources(mediaSourcesOf(kernel, workspaceId), { ...run, decodes: true }),
      caches: () => openCaches(kernel, workspaceId),
      loadPack,
      threadCache,
      nvenc: options.nvenc ?? false,
    }),
    inspect: (what, src, context) => pool.open(what, src, context),
  });
  kernel.lifecycle.onClose('engine', async () => {
    await speech.close();
    await threadCache.close();
  });
  const previews = openPreviews(kernel, { voices, avatars, pool });
  return { voices, avatars, pipeline, previews, speechMetrics };
}

/** Frames on demand, drawn by processes that start with the first request. The kernel's lifecycle ends them. */
export function openPreviews(
  kernel: Kernel,
  { voices, avatars, pool = new PreviewPool() }: Pick<Engine, 'voices' | 'avatars'> & { readonly pool?: PreviewPool },
): Previews {
  const previews = createPreviews({
    utter: (workspaceId, text, voice) => voices.utter(workspaceId, text, voice),
    record: (workspaceId, wish) => voices.recordings.read(workspaceId, wish, {}),
    resolveVoice: voiceResolver(kernel, { voices, avatars }),
    resolvePack: (workspaceId, code) => avatars.resolve(workspaceId, code),
    assets: (workspaceId, folder, signal) => openMediaSources(mediaSourcesOf(kernel, workspaceId), { folder, signal }),
    fontFiles: (workspaceId) => fontFilesOf(kernel, workspaceId),
    pool,
    openFolder: () => kernel.temporary.open('previews-'),
  });
  kernel.lifecycle.onClose('previews', () => previews.close());
  return previews;
}

/** The requested voice of a slide, or one that matches its presenter. */
function voiceResolver({ config }: Kernel, { voices, avatars }: Pick<Engine, 'voices' | 'avatars'>) {
  return async (workspaceId: string, { avatar, ...wish }: VoiceRequest) =>
    voices.resolve(workspaceId, {
      ...wish,
      presenter: wish.voice ? undefined : await presenterOf(avatars, config, { workspaceId, code: avatar }),
    });
}

async function openCaches(kernel: Kernel, workspaceId: string): Promise<RenderCaches> {
  const folder = (kind: string) => join(kernel.config.dataDir, 'cache', kind, workspaceId);
  const local = await openSegmentCache(folder('segments'), { maxBytes: CACHE_BYTES });
  return {
    // Without a bucket all workers share the data folder, and therefore this cache.
    segments: kernel.config.s3Bucket === undefined ? local : shareSegments(kernel, local, workspaceId),
    drawings: await openFolderStore(folder('drawings'), { maxBytes: DRAWINGS_BYTES }),
    speech: await openFolderStore(folder('speech'), { maxBytes: SPEECH_BYTES }),
  };
}
