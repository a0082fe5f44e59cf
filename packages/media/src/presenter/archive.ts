import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ALPHA, decodePack, type PackFiles, type PictureDecoder, readLook, writeArchive } from '@figurehead/presenter';
import { loadSharp } from '../sharp.js';
import { folderFiles, lookOf } from './folders.js';
import { DECODER } from './packs.js';

/** WebP quality of what is shown, and of halved pictures: smaller ones have more detail per px. */
const QUALITY = 88;

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3 | 4;
  readonly data: Uint8Array;
}

/**
 * What viewers need to draw a look of a pack, in one file: `readArchive` after gzip. A page that has it can make the presenter say anything.
 * @param dir as for `loadPack`
 * @param isHalved for pictures in which a px is at least two of the plate, such as head and shoulders at 512 px: pictures have half the sides.
 * @throws PackError as `loadPack` does.
 */
export async function archivePack(dir: string, isHalved: boolean): Promise<Buffer> {
  const { home, look } = lookOf(dir);
  const files = folderFiles(home);
  const { body } = await readLook(files, look);
  // Pictures of a body have fewer px already, and those of a strip must not mix; depth and masks are small.
  const whole = new Set(
    body && [body.base, ...Object.values(body.motions).flatMap(({ left, right }) => [left.file, right.file])],
  );
  const { contents, pictures } = await readAll(files, (recorded, decoder) => decodePack(recorded, look, decoder));
  const isLarge = ([name, { channels }]: [string, Picture]): boolean => channels !== 1 && !whole.has(name);
  const halved = isHalved ? [...pictures].filter(isLarge).map(([name]) => name) : [];
  for (const [name, picture] of pictures) {
    const parts = await encode(picture, halved.includes(name));
    contents.set(name, parts.colour ?? contents.get(name)!);
    if (parts.alpha) contents.set(name + ALPHA, parts.alpha);
  }
  return promisify(gzip)(writeArchive({ look, halved }, contents), { level: 9 });
}

/** All files that `decode` reads, and which of them it decodes. */
async function readAll(
  files: PackFiles,
  decode: (files: PackFiles, decoder: PictureDecoder) => Promise<unknown>,
): Promise<{ contents: Map<string, Uint8Array>; pictures: Map<string, Picture> }> {
  const contents = new Map<string, Uint8Array>();
  const names = new Map<Uint8Array, string>();
  const pictures = new Map<string, Picture>();
  const recorded: PackFiles = {
    ...files,
    read: async (name) => {
      const bytes = await files.read(name);
      contents.set(name, bytes);
      names.set(bytes, name);
      return bytes;
    },
  };
  await decode(recorded, {
    ...DECODER,
    decode: async (bytes, size, channels) => {
      const found = await DECODER.decode(bytes, size, channels);
      // A copy, because the reader works in the one that it gets.
      pictures.set(names.get(bytes)!, { ...size, channels, data: found.data.slice() });
      return found;
    },
  });
  return { contents, pictures };
}

/** The files of a picture; without `colour`, the one that it has. */
async function encode(
  { width, height, channels, data }: Picture,
  isHalved: boolean,
): Promise<{ colour?: Uint8Array; alpha?: Uint8Array }> {
  if (!isHalved && channels !== 4) return {};
  const sharp = await loadSharp();
  let picture = sharp(data, { raw: { width, height, channels } });
  if (isHalved) {
    // Separate steps, because sharp resizes before it extends.
    const even = await picture
      .extend({ right: width & 1, bottom: height & 1, extendWith: 'copy' })
      .raw()
      .toBuffer();
    const [across, down] = [width + (width & 1), height + (height & 1)];
    picture = sharp(even, { raw: { width: across, height: down, channels } }).resize(across / 2, down / 2);
  }
  const { data: pixels, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  const raw = { raw: { width: info.width, height: info.height, channels } };
  const colour = await sharp(pixels, raw).removeAlpha().webp({ quality: QUALITY, effort: 6 }).toBuffer();
  if (channels === 3) return { colour };
  return { colour, alpha: await sharp(pixels, raw).extractChannel(3).webp({ lossless: true }).toBuffer() };
}
