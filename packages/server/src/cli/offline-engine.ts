import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { openFonts, type RenderJob, type RenderResources, type Speech } from '@figurehead/media';
import type { Config } from '../config.js';
import { createPresenters, presenterOf } from '../features/avatars/offline.js';
import { openMediaSources } from '../features/renders/offline.js';
import { chooseVoice, openSpeech } from '../features/voices/offline.js';
import type { SafeFetch } from '../kernel/contract.js';
import { notice } from './command.js';

/**
 * Speech for a command, without a server or database, and therefore without saved voice settings. The caller closes it.
 */
export function openOfflineSpeech(config: Config): Speech {
  return openSpeech(config, {
    onUnavailable: (provider, error) => notice(`The provider ${provider} cannot be used: ${String(error)}`),
  });
}

/**
 * Resources for rendering in a command: no uploads and no caches.
 * @param options.folder base of relative paths of pictures and clips in a document.
 */
export function offlineResources(
  config: Config,
  speech: Speech,
  { folder, output, signal }: { readonly folder: string } & Pick<RenderJob, 'output' | 'signal'>,
): RenderResources {
  const presenters = createPresenters({ config });
  const sources = {
    fetch: fetchWhenNeeded(),
    // The user who runs the command may request any address; the guard is for untrusted documents.
    allowPrivate: true,
    local: (path: string) => readFile(resolve(folder, path)),
  };
  return {
    speech,
    fonts: () => openFonts(),
    resolveVoice: async ({ avatar: code, ...request }) => {
      const presenter = await presenterOf(presenters, config, { workspaceId: 'command', code });
      return chooseVoice(await speech.voices(), config.aliases, { ...request, presenter });
    },
    resolvePack: (code) => presenters.resolve('command', code),
    assets: openMediaSources(sources, { folder: output, signal }),
  };
}

/**
 * Loaded for the first URL in a document: most documents have none, and loading the client takes a quarter of the
 * program's start-up time.
 */
function fetchWhenNeeded(): SafeFetch {
  let fetch: Promise<SafeFetch> | undefined;
  return async (...call) => {
    fetch ??= import('../kernel/network/fetch.js').then(({ createSafeFetch }) => createSafeFetch());
    return (await fetch)(...call);
  };
}
