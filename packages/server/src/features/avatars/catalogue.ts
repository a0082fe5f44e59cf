import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Avatar } from '@figurehead/contract';
import { isRecord } from '@figurehead/contract/document/field';
import { AGES } from '@figurehead/contract/document/provider';
import { type ListedVariant, listPacks, listVariants, type PackSource } from '@figurehead/media';
import { groundArea } from '@figurehead/presenter/crop';
import type { Config } from '../../kernel/config/config.js';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';
import { isThere } from '../../kernel/storage/files.js';
import { BUILT_IN_PEOPLE } from './built-in.js';
import { createPortraits, type Portraits } from './portraits.js';

/** Folder of the built-in packs. */
export const BUILT_IN_PACKS = fileURLToPath(new URL('../../../../../presenters/packs', import.meta.url));
/** Folder of their pictures, which the build creates. */
const PREPARED = fileURLToPath(new URL('../../../dist/portraits', import.meta.url));

/** A presenter in other clothes or another framing: everywhere but in the list it counts as a separate pack. */
interface PresenterVariant {
  readonly code: string;
  readonly title: string;
  readonly source: PackSource;
}

interface Presenter {
  readonly name: string;
  readonly source: PackSource;
  readonly gender: string;
  readonly age: Avatar['age'];
  readonly voice: string | undefined;
  readonly framings: Avatar['framings'];
  readonly head: Avatar['head'];
  /** Viewers may have its pack: everyone may have a built-in one; the owner of another says so in its manifest. */
  readonly drawnByViewers: boolean;
  readonly variants: readonly PresenterVariant[];
}

/** The available presenters. */
export interface Avatars {
  /** All presenters in the API's format. */
  list(workspaceId: string): Promise<Avatar[]>;
  /** The pack of an avatar code (`name` or `name.variant`), also by alias. Throws `unknownAvatar`. */
  resolve(workspaceId: string, code: string): Promise<PackSource>;
  /**
   * File of one of an avatar code's {@link PICTURES}; `undefined` when there is no such presenter. Created when
   * missing.
   */
  picture(code: string, kind: PictureKind): Promise<string | undefined>;
  /** File of the pack of an avatar code for viewers that draw it; `undefined` for one that they may not have. Created when missing. */
  viewerPack(code: string, kind: ViewerPackKind): Promise<string | undefined>;
  /** URL of that file, which changes with its contents; of a photo avatar, if the person agreed, one that soon expires. */
  viewerPackLink(workspaceId: string, code: string, kind: ViewerPackKind): Promise<string | undefined>;
  /** URL of such a picture, also of a photo avatar; `undefined` when there is no such presenter. */
  link(workspaceId: string, code: string, kind: PictureKind): Promise<string | undefined>;
}

/** The presenters of the installation. */
interface Presenters extends Avatars {
  /** Makes the file of a pack for viewers that draw it. */
  makeViewerPack(source: PackSource, kind: ViewerPackKind): Promise<string>;
}

/**
 * Public pictures of a presenter: the whole resting plate with transparency, its head and shoulders, a framed portrait,
 * an idle clip.
 */
export const PICTURES = {
  canvas: { path: 'canvas.webp', mediaType: 'image/webp' },
  bust: { path: 'bust.webp', mediaType: 'image/webp' },
  thumbnail: { path: 'thumbnail.webp', mediaType: 'image/webp' },
  preview: { path: 'preview.mp4', mediaType: 'video/mp4' },
} as const;

export type PictureKind = keyof typeof PICTURES;

/** Packs for viewers that draw a presenter: with pictures of half the sides, for streams of up to {@link HALF_PACK_PX}, and whole. */
export const VIEWER_PACKS = {
  half: { path: 'half.pack.gz', mediaType: 'application/octet-stream' },
  whole: { path: 'whole.pack.gz', mediaType: 'application/octet-stream' },
} as const;

export type ViewerPackKind = keyof typeof VIEWER_PACKS;

/** Greatest side of a stream's picture for which pictures of half the sides have enough px: head and shoulders are 0.5 px of a px of the plate at 512. */
export const HALF_PACK_PX = 540;

/** Reads the packs once, on first use: they change only with the installation. */
export function createPresenters(kernel: Pick<Kernel, 'config'> & Partial<Pick<Kernel, 'lifecycle'>>): Presenters {
  const portraits = createPortraits(join(kernel.config.dataDir, 'portraits'), PREPARED);
  kernel.lifecycle?.onClose('portraits', () => portraits.close());
  let reading: Promise<Map<string, Presenter>> | undefined;
  const presenters = () => {
    reading ??= readPresenters(kernel).catch((error: unknown) => {
      // A pack may have been incomplete; the next call reads again.
      reading = undefined;
      throw error;
    });
    return reading;
  };

  return {
    async list() {
      return [...(await presenters()).values()].map((presenter) => present(kernel, presenter));
    },
    async resolve(_workspaceId, code) {
      const found = sourceOf(await presenters(), kernel.config.aliases.avatars[code] ?? code);
      if (found === undefined) throw new ApiError('unknownAvatar', { avatar: code });
      return found;
    },
    async picture(code, kind) {
      const found = sourceOf(await presenters(), code);
      return found === undefined ? undefined : portraits[kind](found);
    },
    async viewerPack(code, kind) {
      const known = await presenters();
      const found = mayBeDrawn(known, code) ? sourceOf(known, code) : undefined;
      return found === undefined ? undefined : portraits[kind](found);
    },
    makeViewerPack: (source, kind) => portraits[kind](source),
    async viewerPackLink(_workspaceId, code, kind) {
      const own = kernel.config.aliases.avatars[code] ?? code;
      const known = await presenters();
      const found = mayBeDrawn(known, own) ? sourceOf(known, own) : undefined;
      if (found === undefined) return undefined;
      return `${kernel.config.url}/presenters/${encodeURIComponent(own)}/${VIEWER_PACKS[kind].path}?v=${found.version}`;
    },
    async link(_workspaceId, code, kind) {
      const own = kernel.config.aliases.avatars[code] ?? code;
      return sourceOf(await presenters(), own) === undefined ? undefined : pictureUrl(kernel, own, kind);
    },
  };
}

/** Whether a code or alias is that of a presenter that comes with the program: drawn, or made of pictures of people who do not exist. */
export function isBuiltIn({ aliases }: Pick<Config, 'aliases'>, code: string): boolean {
  const [name = ''] = (aliases.avatars[code] ?? code).split('.', 1);
  return Object.hasOwn(BUILT_IN_PEOPLE, name);
}

/**
 * Creates the pictures of the built-in presenters for lists: portraits, also of variants, and idle clips. Used by the
 * build; only missing ones are created, and those without a pack are deleted.
 */
export async function preparePictures(): Promise<void> {
  const portraits = createPortraits(PREPARED);
  try {
    await prepareAll(portraits);
  } finally {
    await portraits.close();
  }
}

async function prepareAll(portraits: Portraits): Promise<void> {
  const files = new Set<string>();
  for (const { source, variants } of (await readPacks([BUILT_IN_PACKS])).values()) {
    files.add(await portraits.thumbnail(source));
    files.add(await portraits.preview(source));
    for (const look of variants) files.add(await portraits.thumbnail(look.source));
  }
  for (const name of await readdir(PREPARED)) {
    // Skips unfinished files of a concurrent build, whose names have a suffix.
    if (/\.(webp|mp4)$/.test(name) && !files.has(join(PREPARED, name))) await rm(join(PREPARED, name), { force: true });
  }
}

/** The pack of a code, `name` or `name.variant`. */
function sourceOf(known: ReadonlyMap<string, Presenter>, code: string): PackSource | undefined {
  const [name = ''] = code.split('.', 1);
  const presenter = known.get(name);
  return code === name ? presenter?.source : presenter?.variants.find((look) => look.code === code)?.source;
}

function mayBeDrawn(known: ReadonlyMap<string, Presenter>, code: string): boolean {
  return known.get(code.split('.', 1)[0] ?? '')?.drawnByViewers === true;
}

function readPresenters({ config }: { readonly config: Config }): Promise<Map<string, Presenter>> {
  // The operator's packs come last: they replace built-in ones of the same name.
  return readPacks([BUILT_IN_PACKS, ...(config.presentersDir === undefined ? [] : [config.presentersDir])]);
}

async function readPacks(folders: readonly string[]): Promise<Map<string, Presenter>> {
  const found = new Map<string, Presenter>();
  for (const folder of folders) {
    for (const name of await listPacks(folder)) found.set(name, await readPresenter(join(folder, name), name));
  }
  return new Map([...found].sort(([a], [b]) => rankOf(a) - rankOf(b)));
}

/** Place in the catalogue: the built-in presenters as {@link BUILT_IN_PEOPLE} has them, then the others by name. */
function rankOf(name: string): number {
  const place = Object.keys(BUILT_IN_PEOPLE).indexOf(name);
  return place < 0 ? Number.MAX_SAFE_INTEGER : place;
}

async function readPresenter(folder: string, name: string): Promise<Presenter> {
  const people = BUILT_IN_PEOPLE[name];
  const manifest = await readFile(join(folder, 'manifest.json'), 'utf8');
  const said = JSON.parse(manifest) as Readonly<
    Partial<Record<'gender' | 'age' | 'voice' | 'ground' | 'drawnByViewers' | 'width' | 'height' | 'head', unknown>>
  >;
  const version = await fingerprint(folder);
  const look = async (variant: ListedVariant): Promise<PresenterVariant> => ({
    code: `${name}.${variant.name}`,
    title: variant.title,
    source: { folder: variant.folder, version: hash(version, await fingerprint(variant.folder)) },
  });
  return {
    name,
    source: { folder, version },
    gender: typeof said.gender === 'string' ? said.gender : (people?.gender ?? 'other'),
    age: AGES.find((age) => age === said.age) ?? people?.age,
    voice: typeof said.voice === 'string' ? said.voice : people?.voice,
    framings:
      said.ground !== undefined
        ? []
        : ['head', 'bust', ...((await isThere(join(folder, 'body.json'))) ? (['waist'] as const) : [])],
    head: headOf(said),
    drawnByViewers: folder === join(BUILT_IN_PACKS, name) || said.drawnByViewers === true,
    variants: await Promise.all((await listVariants(folder)).map(look)),
  };
}

/** The head in the picture of a pack's whole plate; packs with a background show a part of it. */
function headOf({ width, height, head, ground }: Readonly<Record<string, unknown>>): Avatar['head'] {
  if (typeof width !== 'number' || typeof height !== 'number' || !isRecord(head)) return undefined;
  const { pivot, topY, chinY } = head;
  const x: unknown = Array.isArray(pivot) ? pivot[0] : undefined;
  if (typeof x !== 'number' || typeof topY !== 'number' || typeof chinY !== 'number') return undefined;
  const area = ground === undefined ? { x: 0, y: 0, width, height } : groundArea({ width, height });
  const [top, chin] = [(topY - area.y) / area.height, (chinY - area.y) / area.height];
  return { x: (x - area.x) / area.width, top, chin };
}

/** Changes with the manifest of a pack, and with the size of any of its files. */
async function fingerprint(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
  const parts = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      return name.endsWith('.json') ? readFile(file, 'utf8') : `${name} ${(await stat(file)).size}`;
    }),
  );
  return hash(...parts);
}

function hash(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
}

function pictureUrl({ config }: { readonly config: Config }, code: string, kind: PictureKind): string {
  return `${config.url}/presenters/${encodeURIComponent(code)}/${PICTURES[kind].path}`;
}

function present(
  kernel: { readonly config: Config },
  { name, gender, age, voice, framings, head, variants }: Presenter,
): Avatar {
  const picture = (code: string, kind: PictureKind): string => pictureUrl(kernel, code, kind);
  return {
    id: name,
    code: name,
    name: name.charAt(0).toUpperCase() + name.slice(1),
    type: 'presenter',
    gender,
    ...(age && { age }),
    status: 'ready',
    thumbnail: picture(name, 'thumbnail'),
    canvas: picture(name, 'canvas'),
    preview: picture(name, 'preview'),
    variants: variants.map(({ code, title }) => ({
      code,
      name: title,
      thumbnail: picture(code, 'thumbnail'),
      canvas: picture(code, 'canvas'),
    })),
    defaultVoice: voice === undefined ? null : { voice, voiceProvider: 'flite', language: 'English' },
    realtime: true,
    framings,
    ...(head && { head }),
  };
}
