import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Avatar } from '@figurehead/contract';
import { listPacks, type PackSource } from '@figurehead/media';
import type { Config } from '../../config.js';
import { ApiError } from '../../kernel/http-error.js';
import { BUILT_IN_PEOPLE } from './built-in.js';
import { createPortraits } from './portraits.js';

/** Folder of the packs that come with the program. */
const BUILT_IN_PACKS = fileURLToPath(new URL('../../../../../presenters/packs', import.meta.url));

/** A presenter of this installation. */
interface Presenter {
  readonly name: string;
  readonly source: PackSource;
  readonly gender: string;
  readonly voice: string | undefined;
}

/** The presenters that can be shown here. */
export interface Avatars {
  /** All of them as the API lists them. */
  list(workspaceId: string, filter: { realtime?: boolean }): Promise<Avatar[]>;
  /** The pack of an avatar code (`name` or `name.variant`), by alias too. Throws `unknownAvatar`. */
  resolve(workspaceId: string, code: string): Promise<PackSource>;
  /** File of one of a presenter's {@link PICTURES}; `undefined` when there is no such presenter. Made when it is missing. */
  picture(name: string, kind: PictureKind): Promise<string | undefined>;
}

/** What everyone may see of a presenter: the whole resting plate with transparency, a framed portrait, a clip at rest. */
export const PICTURES = {
  canvas: { path: 'canvas.webp', mediaType: 'image/webp' },
  thumbnail: { path: 'thumbnail.webp', mediaType: 'image/webp' },
  preview: { path: 'preview.mp4', mediaType: 'video/mp4' },
} as const;

/** One of {@link PICTURES}. */
export type PictureKind = keyof typeof PICTURES;

/** Reads the packs once, at first use: they change only with the installation. */
export function createAvatars(kernel: { readonly config: Config }): Avatars {
  const portraits = createPortraits(join(kernel.config.dataDir, 'portraits'));
  let reading: Promise<Map<string, Presenter>> | undefined;
  const presenters = () => {
    reading ??= readPresenters(kernel);
    return reading;
  };

  return {
    async list() {
      return [...(await presenters()).values()].map((presenter) => present(kernel, presenter));
    },
    async resolve(_workspaceId, code) {
      const known = await presenters();
      const own = kernel.config.aliases.avatars[code] ?? code;
      // Packs have no variants of their own yet, so a variant that is not a pack is no avatar.
      const found = known.get(own);
      if (found === undefined) throw new ApiError('unknownAvatar', { avatar: code });
      return found.source;
    },
    async picture(name, kind) {
      const found = (await presenters()).get(name);
      if (found === undefined) return undefined;
      return kind === 'canvas' ? join(found.source.folder, 'base.webp') : portraits[kind](found.source);
    },
  };
}

async function readPresenters(kernel: { readonly config: Config }): Promise<Map<string, Presenter>> {
  const { presentersDir } = kernel.config;
  const found = new Map<string, Presenter>();
  // The operator's packs come last: one of the same name takes the place of a built-in one.
  for (const folder of [BUILT_IN_PACKS, ...(presentersDir === undefined ? [] : [presentersDir])]) {
    for (const name of await listPacks(folder)) found.set(name, await readPresenter(join(folder, name), name));
  }
  return found;
}

async function readPresenter(folder: string, name: string): Promise<Presenter> {
  const manifest = await readFile(join(folder, 'manifest.json'));
  const people = BUILT_IN_PEOPLE[name];
  const said = JSON.parse(manifest.toString('utf8')) as { gender?: unknown; voice?: unknown };
  return {
    name,
    source: { folder, version: createHash('sha256').update(manifest).digest('hex').slice(0, 16) },
    gender: typeof said.gender === 'string' ? said.gender : (people?.gender ?? 'other'),
    voice: typeof said.voice === 'string' ? said.voice : people?.voice,
  };
}

function present(kernel: { readonly config: Config }, { name, gender, voice }: Presenter): Avatar {
  const picture = (kind: PictureKind): string =>
    `${kernel.config.url}/presenters/${encodeURIComponent(name)}/${PICTURES[kind].path}`;
  return {
    id: name,
    code: name,
    name: name.charAt(0).toUpperCase() + name.slice(1),
    type: 'presenter',
    gender,
    status: 'ready',
    thumbnail: picture('thumbnail'),
    canvas: picture('canvas'),
    preview: picture('preview'),
    variants: [],
    defaultVoice: voice === undefined ? null : { voice, voiceProvider: 'flite', language: 'English' },
    realtime: true,
  };
}
