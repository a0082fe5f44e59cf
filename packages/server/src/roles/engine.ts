import { join } from 'node:path';
import { openFonts, openSegmentCache } from '@figurehead/media';
import { type Avatars, createAvatars } from '../features/avatars/index.js';
import { fontFilesOf } from '../features/library/index.js';
import { createPipeline, openMediaSources, type RenderPipeline } from '../features/renders/index.js';
import {
  createSpeechMetrics,
  createVoices,
  openSpeech,
  type SpeechMetrics,
  type Voices,
} from '../features/voices/index.js';
import type { Kernel } from '../kernel/contract.js';

/** Encoded segments that are kept for the next render of a workspace's videos. */
const CACHE_BYTES = 2_000_000_000;

/** The media engine as features use it. The kernel's lifecycle closes it. */
export interface Engine {
  readonly voices: Voices;
  readonly avatars: Avatars;
  readonly pipeline: RenderPipeline;
  /** What this process spoke. */
  readonly speechMetrics: SpeechMetrics;
}

/** Puts the engine together for the API (voices, dry runs) and the worker (renders). Nothing heavy loads before its first use. */
export function createEngine(kernel: Kernel): Engine {
  const { config } = kernel;
  const speechMetrics = createSpeechMetrics();
  const speech = openSpeech(config, {
    onUnavailable: (provider, error) =>
      kernel.log.warn({ err: error, provider }, 'a speech provider cannot list its voices'),
    onSpoken: speechMetrics.onSpoken,
  });
  const voices = createVoices(kernel, speech);
  const avatars = createAvatars(kernel);
  const sources = {
    fetch: kernel.fetch,
    allowPrivate: config.mediaAllowPrivate,
    own: { objects: kernel.objects, url: config.url },
  };
  const pipeline = createPipeline({
    speech,
    fonts: async (workspaceId) => openFonts(await fontFilesOf(kernel, workspaceId)),
    resolveVoice: ({ workspaceId, ...wish }) => voices.resolve(workspaceId, wish),
    resolvePack: (workspaceId, code) => avatars.resolve(workspaceId, code),
    assets: (_workspaceId, folder, signal) => openMediaSources(sources, { folder, signal }),
    cache: (workspaceId) =>
      openSegmentCache(join(config.dataDir, 'cache', 'segments', workspaceId), { maxBytes: CACHE_BYTES }),
  });
  kernel.lifecycle.onClose('engine', () => pipeline.close());
  return { voices, avatars, pipeline, speechMetrics };
}
