import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  createStoredPackLoader,
  loadPack,
  openFolderStore,
  openFonts,
  type RenderJob,
  type RenderResources,
  type Speech,
} from '@figurehead/media';
import { createPresenters, presenterOf } from '../features/avatars/offline.js';
import { openMediaSources } from '../features/library/offline.js';
import { chooseVoice } from '../features/voices/offline.js';
import type { Config } from '../kernel/config/config.js';
import type { SafeFetch } from '../kernel/contract.js';

/** Decoded presenters of the last commands: 8 MB each, 22 MB with a body. */
const MAX_PACK_BYTES = 200_000_000;

/**
 * Resources for rendering in a command: no uploads, and no caches but that of decoded presenters in the user's cache folder.
 * @param options.folder base of relative paths of pictures and clips in a document.
 */
export function offlineResources(
  config: Config,
  speech: Speech,
  { folder, output, signal }: { readonly folder: string } & Pick<RenderJob, 'output' | 'signal'>,
): RenderResources {
  process.env['FONTCONFIG_FILE'] = join(userCaches(), 'drawing-fonts', 'fonts.conf');
  process.env['PANGOCAIRO_BACKEND'] = 'fontconfig';
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
    loadPack: storedPacks(),
    assets: openMediaSources(sources, { folder: output, signal, decodes: true }),
  };
}

/** Without a writable cache folder, packs are decoded each time. */
function storedPacks(): NonNullable<RenderResources['loadPack']> {
  const opened = openFolderStore(join(userCaches(), 'packs'), { maxBytes: MAX_PACK_BYTES }).then(
    createStoredPackLoader,
    () => loadPack,
  );
  return async (folder) => (await opened)(folder);
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

/** https://specifications.freedesktop.org/basedir-spec */
function userCaches(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'figurehead');
}
