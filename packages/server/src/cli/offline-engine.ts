import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { openFonts, type RenderJob, type RenderResources, type Speech } from '@figurehead/media';
import type { Config } from '../config.js';
import { createPresenters } from '../features/avatars/index.js';
import { openMediaSources } from '../features/renders/index.js';
import { chooseVoice, openSpeech } from '../features/voices/index.js';
import { createSafeFetch } from '../kernel/network/fetch.js';
import { notice } from './command.js';

/** Speech as a command uses it: no server, no database, hence no saved voice settings. The caller closes it. */
export function openOfflineSpeech(config: Config): Speech {
  return openSpeech(config, {
    onUnavailable: (provider, error) => notice(`The provider ${provider} cannot be used: ${String(error)}`),
  });
}

/**
 * What a command renders with: no uploads and no caches.
 * @param options.folder relative paths of pictures and clips in a document are read from here.
 */
export function offlineResources(
  config: Config,
  speech: Speech,
  { folder, output, signal }: { readonly folder: string } & Pick<RenderJob, 'output' | 'signal'>,
): RenderResources {
  const presenters = createPresenters({ config });
  const sources = {
    fetch: createSafeFetch(),
    // The person at the keyboard may point it anywhere; the guard is for strangers' documents.
    allowPrivate: true,
    local: (path: string) => readFile(resolve(folder, path)),
  };
  return {
    speech,
    fonts: () => openFonts(),
    resolveVoice: async (wish) => chooseVoice(await speech.voices(), config.aliases, wish),
    resolvePack: (code) => presenters.resolve('command', code),
    assets: openMediaSources(sources, { folder: output, signal }),
  };
}
