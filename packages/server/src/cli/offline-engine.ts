import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { openFonts, type Speech } from '@figurehead/media';
import type { Config } from '../config.js';
import { createPresenters } from '../features/avatars/index.js';
import { createPipeline, openMediaSources, type RenderPipeline } from '../features/renders/index.js';
import { chooseVoice, openSpeech } from '../features/voices/index.js';
import { createSafeFetch } from '../kernel/network/fetch.js';
import { notice } from './command.js';

/** The engine as a command uses it: no server, no database, hence no saved voice settings and no uploads. */
export interface OfflineEngine {
  readonly speech: Speech;
  readonly pipeline: RenderPipeline;
  /** Frees threads and models. */
  close(): Promise<void>;
}

/** @param folder relative paths of pictures and clips in a document are read from here. */
export function openOfflineEngine(config: Config, folder: string): OfflineEngine {
  const speech = openSpeech(config, {
    onUnavailable: (provider, error) => notice(`The provider ${provider} cannot be used: ${String(error)}`),
  });
  const avatars = createPresenters({ config });
  const sources = {
    fetch: createSafeFetch(),
    // The person at the keyboard may point it anywhere; the guard is for strangers' documents.
    allowPrivate: true,
    local: (path: string) => readFile(resolve(folder, path)),
  };
  const pipeline = createPipeline({
    speech,
    fonts: () => openFonts(),
    resolveVoice: async (wish) => chooseVoice(await speech.voices(), config.aliases, wish),
    resolvePack: (workspaceId, code) => avatars.resolve(workspaceId, code),
    assets: (_workspaceId, work, signal) => openMediaSources(sources, { folder: work, signal }),
  });
  return { speech, pipeline, close: () => pipeline.close() };
}
