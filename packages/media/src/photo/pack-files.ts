import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { boxSize, type PlateBox } from '@figurehead/presenter';
import type { OwnMotion } from '@figurehead/presenter/face';
import sharp from 'sharp';
import type { Donor, GreyPicture } from './donor.js';
import type { Picture } from './picture.js';
import type { Eyes } from './shaping/lids.js';
import type { Mouth } from './shaping/mouth.js';

/** Contents of a pack. */
export interface PackContent {
  readonly name: string;
  readonly donor: Donor;
  readonly plate: Picture;
  /** Static background behind the person, as large as the plate and opaque. */
  readonly ground?: Picture;
  readonly depth: GreyPicture;
  readonly head: object;
  readonly eyes: Eyes;
  readonly mouth: Mouth;
  readonly motion?: OwnMotion;
}

/** The same quality as in the built-in packs. */
const PLATE_QUALITY = 92;
const INSET_QUALITY = 93;

/** Writes a pack (presenters/FORMAT.md) into `folder`, which is created when missing. */
export async function writePack(folder: string, content: PackContent): Promise<void> {
  const { name, donor, plate, ground, depth, head, eyes, mouth, motion } = content;
  const { manifest } = donor;
  await mkdir(folder, { recursive: true });
  const insets = async (
    files: readonly { readonly file: string }[],
    box: PlateBox,
    pictures: readonly Uint8Array[],
  ) => {
    for (const [index, { file }] of files.entries()) {
      await sharp(pictures[index]!, { raw: { ...boxSize(box), channels: 3 } })
        .webp({ quality: INSET_QUALITY, effort: 1 })
        .toFile(join(folder, file));
    }
  };
  const grey = (file: string, { width, height, data }: GreyPicture) =>
    sharp(data, { raw: { width, height, channels: 1 } })
      .toColourspace('b-w')
      .png({ compressionLevel: 6 })
      .toFile(join(folder, file));
  await sharp(plate.data, { raw: { width: plate.width, height: plate.height, channels: 4 } })
    .webp({ quality: PLATE_QUALITY, effort: 1 })
    .toFile(join(folder, 'base.webp'));
  if (ground !== undefined) {
    await sharp(ground.data, { raw: { width: ground.width, height: ground.height, channels: 4 } })
      .removeAlpha()
      .webp({ quality: PLATE_QUALITY, effort: 1 })
      .toFile(join(folder, 'ground.webp'));
  }
  await grey('depth.png', depth);
  await grey('eyemask.png', { ...boxSize(eyes.box), data: eyes.mask });
  await insets(manifest.eye.stages, eyes.box, eyes.stages);
  await insets(manifest.mouth.patches, mouth.box, mouth.patches);
  await writeFile(join(folder, 'flow.i16'), mouth.flow);
  const { opens, widths } = manifest.mouth;
  const written = {
    version: 1,
    name,
    width: plate.width,
    height: plate.height,
    base: 'base.webp',
    ...(ground === undefined ? {} : { ground: 'ground.webp' }),
    depth: { file: 'depth.png', scale: manifest.depth.scale, min: manifest.depth.min, max: manifest.depth.max },
    head,
    eye: {
      box: eyes.box,
      mask: 'eyemask.png',
      eyes: eyes.irises,
      pxPerDeg: eyes.pxPerDeg,
      stages: manifest.eye.stages,
    },
    mouth: {
      box: mouth.box,
      patches: manifest.mouth.patches,
      flow: { file: 'flow.i16', cell: mouth.cell, gw: mouth.gw, gh: mouth.gh, scale: mouth.scale },
      opens,
      widths,
    },
    ...(motion === undefined ? {} : { motion }),
  };
  await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(written, undefined, 1)}\n`);
}
