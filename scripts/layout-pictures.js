/**
 * Draws the console's pictures of slide layouts and video templates with the engine's own preview:
 * packages/console/src/screens/start/pictures/NAME.webp. Run it after changing the layouts.
 *
 *     node scripts/layout-pictures.js
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { SLIDE_LAYOUTS, slideFrom, templateLook, VIDEO_TEMPLATES } from '../packages/contract/dist/layouts/index.js';
import { PreviewPool } from '../packages/server/dist/features/renders/preview/index.js';
import { root } from './paths.js';

const FOLDER = join(root, 'packages/console/src/screens/start/pictures');
const WIDTH = 384;
const QUALITY = 62;

const pool = new PreviewPool({ processes: 1 });
const assets = { picture: async () => new Uint8Array(), file: async () => '' };
const signal = new AbortController().signal;

async function draw(layout, avatar, more = {}) {
  const order = {
    source: {
      slides: [slideFrom(layout, { id: 1, cast: { avatar: { code: avatar } }, ...more })],
      data: { resolution: '720p' },
    },
    slide: 0,
    seconds: 0,
    speeches: [null],
    fonts: [],
    packs: { [avatar]: { folder: join(root, 'presenters/packs', avatar), version: '1' } },
  };
  const frame = await pool.paint(order, { workspaceId: 'layouts', assets, signal });
  return sharp(frame).resize(WIDTH).webp({ quality: QUALITY, effort: 6 }).toBuffer();
}

await mkdir(FOLDER, { recursive: true });
for (const name of await readdir(FOLDER)) await rm(join(FOLDER, name));
for (const layout of Object.keys(SLIDE_LAYOUTS)) {
  await writeFile(join(FOLDER, `${layout}.webp`), await draw(layout, 'clara'));
}
const presenters = ['zola', 'daniel', 'ruth', 'minh', 'lian', 'vera'];
for (const [index, [name, { slides }]] of Object.entries(VIDEO_TEMPLATES).entries()) {
  const [first] = slides;
  const picture = await draw(first.layout, presenters[index % presenters.length], {
    fill: first,
    look: templateLook(name),
  });
  await writeFile(join(FOLDER, `video-${name}.webp`), picture);
}
await pool.close();
