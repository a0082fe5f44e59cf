import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseDocument } from '@figurehead/contract/document';
import sharp from 'sharp';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { expectLinearIn } from '../../../../tests/support/growth.js';
import { playablePicture } from '../encode/input/moving-picture.js';
import { encodePicture, yuvToRgba } from '../encode/input/picture.js';
import { openVideo } from '../encode/input/video-reader.js';
import type { Assets } from './assets.js';
import type { Shot, SpriteLayer } from './contract.js';
import { faceOf } from './resolved-slide.js';
import { type PlannedShot, planShots } from './shots.js';
import { type Fonts, openFonts } from './text/fonts.js';
import { planTimeline } from './timeline/timeline.js';

let fonts: Fonts;
let pictures: Record<string, Buffer>;

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="9"><rect width="16" height="9" fill="#204060"/>' +
  '<circle cx="12" cy="3" r="2" fill="#ffcc00"/></svg>';

beforeAll(async () => {
  fonts = await openFonts();
  const halves = Buffer.alloc(40 * 20 * 3);
  for (let n = 0; n < 40 * 20; n++) halves[n * 3 + (n % 40 < 20 ? 0 : 2)] = 255;
  const image = sharp(halves, { raw: { width: 40, height: 20, channels: 3 } });
  pictures = {
    'red-blue': await image.clone().png().toBuffer(),
    // Stored sideways; EXIF says that the left edge is the top.
    turned: await image
      .clone()
      .rotate(-90)
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
      .toBuffer(),
    svg: Buffer.from(SVG),
    broken: Buffer.from('<html>not a picture</html>'),
  };
});

const assets: Assets = {
  picture: async (src) => {
    const bytes = pictures[src.replace('https://media.example/', '')];
    if (bytes === undefined) throw new Error('404 Not Found');
    return bytes;
  },
  file: async () => import.meta.filename,
};

async function plan(
  slides: readonly object[],
  data: object = {},
  folder = '/packs/ava',
  from: Assets = assets,
): Promise<readonly PlannedShot[]> {
  const { document, problems } = parseDocument({
    slides: slides.map((slide, index) => ({ id: index + 1, duration: 2, ...slide })),
    data: { resolution: 'HD', ...data },
  });
  expect(problems.filter((problem) => problem.level === 'error')).toEqual([]);
  const speeches = document.slides.map(() => null);
  const resolvePack = async (code: string): Promise<{ folder: string; version: string }> => {
    if (code !== 'ava') throw new Error(`there is no avatar "${code}"`);
    return { folder, version: '1' };
  };
  return planShots(document, planTimeline(document, speeches), { assets: from, fonts, resolvePack, speeches });
}

async function draw(slide: object, data: object = {}): Promise<Shot> {
  const [shot] = await plan([slide], data);
  if (shot === undefined) throw new Error('no shot');
  return shot.draw();
}

function canvas(...objects: object[]): object {
  return { canvas: { background: '#ffffff', objects } };
}

/** Red, green, blue of the base at a point of the 640×360 canvas. */
function colorAt(shot: Shot, x: number, y: number): number[] {
  const { data } = yuvToRgba(shot.base);
  const at = (y * 2 * shot.base.width + x * 2) * 4;
  return [...data.subarray(at, at + 3)];
}

function expectColor(actual: number[], expected: number[], tolerance = 4): void {
  for (const [index, value] of expected.entries())
    expect(Math.abs((actual[index] ?? 0) - value), `${actual}`).toBeLessThanOrEqual(tolerance);
}

function sprite(shot: Shot): SpriteLayer {
  const layer = shot.layers[0];
  if (layer?.kind !== 'sprite') throw new Error(`expected a sprite, got ${layer?.kind}`);
  return layer;
}

describe('a film with a label', () => {
  it('shows it above everything else of each slide, and is another film without it', async () => {
    const slides = [canvas({ type: 'rect', width: 10, height: 10 }), { animation: 'fade_in' }];
    const [plain, labelled] = [await plan(slides), await plan(slides, { aiLabel: ' Made  with\nAI ' })];
    for (const [index, shot] of labelled.entries()) {
      expect(shot.key).not.toBe(plain[index]?.key);
      const above = (await shot.draw()).layers.at(-1);
      expect(above?.kind === 'captions' && above.shows).toMatchObject([{ startFrame: 0, frames: shot.frames }]);
      expect((await plain[index]?.draw())?.layers.some(({ kind }) => kind === 'captions')).toBe(false);
    }
    expect((await plan(slides, { aiLabel: 'Made with AI' })).map(({ key }) => key)).toEqual(
      labelled.map(({ key }) => key),
    );
  });
});

describe('a drawn slide', () => {
  it.each(['gif', 'webp', 'apng'])('shows an animated %s as a silent film that repeats', async (kind) => {
    const frames = await Promise.all(
      ['#ff0000', '#0000ff80'].map((background) =>
        sharp({ create: { width: 40, height: 30, channels: 4, background } })
          .png()
          .toBuffer(),
      ),
    );
    const all = sharp(frames, { join: { animated: true } });
    const bytes =
      kind === 'gif'
        ? await all.gif({ delay: [400, 400] }).toBuffer()
        : await all.webp({ delay: [400, 400], lossless: true }).toBuffer();
    const film = await playablePicture(bytes);
    const file = join(await mkdtemp(join(tmpdir(), 'film-')), 'film');
    await writeFile(file, film);
    onTestFinished(() => rm(dirname(file), { recursive: true }));
    pictures['moving'] = kind === 'apng' ? film : bytes;
    const object = { type: 'image', src: 'https://media.example/moving', left: 20, top: 30, width: 80, height: 60 };
    const [shot] = await plan([canvas(object)], {}, '/packs/ava', { ...assets, film: async () => file });
    const { layers } = await shot!.draw();
    expect(layers).toMatchObject([{ kind: 'video', file, x: 40, y: 60, width: 160, height: 120, loop: true }]);
    const reader = await openVideo(file, { alpha: true });
    const colours = [];
    for (const seconds of [0.1, 0.5]) colours.push([...yuvToRgba(await reader.frameAt(seconds)).data.subarray(0, 4)]);
    await reader.close();
    expectColor(colours[0]!, [255, 0, 0, 255], 6);
    // A GIF has no half transparency.
    expectColor(colours[1]!.slice(0, 3), [0, 0, 255], 6);
    if (kind !== 'gif') expectColor(colours[1]!.slice(3), [128], 2);
  });

  it('plays no animation of more frames than can be decoded in a reasonable time, and says so', async () => {
    const [side, frames] = [2, 3001];
    const pixels = Buffer.alloc(side * side * 3 * frames, 0).map(
      (_, at) => 255 * (Math.floor(at / (side * side * 3)) % 2),
    );
    const raw = { width: side, height: side * frames, channels: 3, pageHeight: side } as const;
    const bytes = await sharp(pixels, { raw }).webp({ effort: 0 }).toBuffer();
    await expect(playablePicture(bytes)).rejects.toThrow('got 3001 frames of 2×2; save it as a video');
  });

  it('leaves an animated picture still where it is cropped or covers its box', async () => {
    const frames = await Promise.all(
      ['#ff0000', '#0000ff'].map((background) =>
        sharp({ create: { width: 40, height: 30, channels: 4, background } })
          .png()
          .toBuffer(),
      ),
    );
    pictures['moving'] = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    const object = { type: 'image', src: 'https://media.example/moving', width: 80, height: 80 };
    const film = { ...assets, film: async () => 'film' };
    const [planned] = await plan([canvas({ ...object, left: 0, top: 0, fit: 'cover' })], {}, '/packs/ava', film);
    const shot = await planned!.draw();
    expectColor(colorAt(shot, 40, 40), [255, 0, 0]);
    expect(shot.layers).toEqual([]);
  });

  // Proves: D.videos.6
  it('places shapes by origin, scale and angle', async () => {
    const shot = await draw(
      canvas(
        { type: 'rect', left: 100, top: 50, width: 40, height: 20, scaleX: 2, fill: '#ff0000' },
        {
          type: 'rect',
          left: 320,
          top: 180,
          originX: 'center',
          originY: 'center',
          width: 100,
          height: 10,
          angle: 90,
          fill: '#0000ff',
        },
        { type: 'circle', left: 500, top: 100, radius: 30, fill: '#008000' },
      ),
    );
    expectColor(colorAt(shot, 175, 60), [255, 0, 0]);
    expectColor(colorAt(shot, 185, 60), [255, 255, 255]);
    expectColor(colorAt(shot, 320, 140), [0, 0, 255]);
    expectColor(colorAt(shot, 290, 180), [255, 255, 255]);
    expectColor(colorAt(shot, 530, 130), [0, 128, 0]);
    expectColor(colorAt(shot, 503, 103), [255, 255, 255]);
  });

  it('blends opacity once, also where the stroke overlaps the fill', async () => {
    const shot = await draw(
      canvas({
        type: 'rect',
        left: 100,
        top: 100,
        width: 100,
        height: 100,
        fill: '#000',
        stroke: '#000',
        strokeWidth: 40,
        opacity: 0.5,
      }),
    );
    expectColor(colorAt(shot, 110, 150), [128, 128, 128]);
    expectColor(colorAt(shot, 170, 150), [128, 128, 128]);
  });

  it('rotates pictures by their EXIF data, mirrors and crops them', async () => {
    const image = { type: 'image', top: 100, width: 40, height: 20, scaleX: 2, scaleY: 2 };
    const shot = await draw(
      canvas(
        { ...image, src: 'https://media.example/turned', left: 0 },
        { ...image, src: 'https://media.example/red-blue', left: 100, flipX: true },
        { ...image, src: 'https://media.example/red-blue', left: 200, width: 20, cropX: 20 },
      ),
    );
    expectColor(colorAt(shot, 10, 120), [255, 0, 0], 12);
    expectColor(colorAt(shot, 70, 120), [0, 0, 255], 12);
    expectColor(colorAt(shot, 110, 120), [0, 0, 255]);
    expectColor(colorAt(shot, 170, 120), [255, 0, 0]);
    expectColor(colorAt(shot, 210, 120), [0, 0, 255]);
  });

  it('clips with rounded corners and clip paths', async () => {
    const clipPath = { type: 'circle', radius: 40, left: -40, top: -40 };
    const shot = await draw(
      canvas(
        { type: 'rect', left: 100, top: 100, width: 100, height: 100, fill: '#f00', clipPath },
        { type: 'rect', left: 300, top: 100, width: 100, height: 100, fill: '#f00', rx: 50 },
      ),
    );
    for (const left of [100, 300]) {
      expectColor(colorAt(shot, left + 5, 105), [255, 255, 255]);
      expectColor(colorAt(shot, left + 50, 150), [255, 0, 0]);
    }
  });

  it('clips by shapes in canvas coordinates, and outside of shapes', async () => {
    const rect = { type: 'rect', left: 100, top: 100, width: 100, height: 100, angle: 0, fill: '#f00' };
    const strip = { type: 'rect', left: 100, top: 100, width: 50, height: 100 };
    const shot = await draw(
      canvas(
        { ...rect, clipPath: { ...strip, absolutePositioned: true } },
        { ...rect, left: 300, clipPath: { type: 'circle', radius: 30, left: -30, top: -30, inverted: true } },
      ),
    );
    expectColor(colorAt(shot, 125, 150), [255, 0, 0]);
    expectColor(colorAt(shot, 175, 150), [255, 255, 255]);
    expectColor(colorAt(shot, 350, 150), [255, 255, 255]);
    expectColor(colorAt(shot, 305, 105), [255, 0, 0]);
  });

  it('covers the frame with a background picture in every format', async () => {
    for (const format of ['16_9', '9_16', '1_1']) {
      const shot = await draw({ canvas: { background: 'https://media.example/svg' } }, { format });
      const { data } = yuvToRgba(shot.base);
      for (const at of [0, shot.base.width - 1, data.length / 4 - 1])
        expectColor([...data.subarray(at * 4, at * 4 + 3)], [0x20, 0x40, 0x60]);
    }
  });

  it('matches the reference picture', async () => {
    const shot = await draw({
      canvas: {
        background: 'https://media.example/svg',
        objects: [
          {
            type: 'textbox',
            left: 30,
            top: 24,
            width: 330,
            text: 'Growth that lasts',
            fontSize: 44,
            fontFamily: 'Montserrat',
            fontWeight: 'bold',
            fill: '#fff',
          },
          {
            type: 'textbox',
            left: 30,
            top: 150,
            width: 300,
            text: 'Naïve café → 12 %\nمرحبا بالعالم\n漢字かな 🎉',
            fontSize: 26,
            fontFamily: 'Inter',
            fill: '#cde',
            list: 'bullet',
          },
          {
            type: 'rect',
            left: 380,
            top: 120,
            width: 120,
            height: 80,
            rx: 12,
            stroke: '#fff',
            strokeWidth: 4,
            shadow: 'rgba(0,0,0,0.5) 4px 4px 8px',
            fill: {
              type: 'linear',
              gradientUnits: 'percentage',
              coords: { x1: 0, y1: 0, x2: 1, y2: 1 },
              colorStops: [
                { offset: 0, color: '#f80' },
                { offset: 1, color: '#e27' },
              ],
            },
          },
          {
            type: 'group',
            left: 380,
            top: 230,
            width: 200,
            height: 100,
            angle: -8,
            opacity: 0.8,
            objects: [
              { type: 'ellipse', left: -100, top: -50, rx: 100, ry: 50, fill: '#1abc9c' },
              {
                type: 'i-text',
                left: 0,
                top: 0,
                originX: 'center',
                originY: 'center',
                text: 'Grouped',
                fontSize: 30,
                underline: true,
                fill: '#fff',
                fontFamily: 'Lato',
                fontStyle: 'italic',
              },
            ],
          },
        ],
      },
    });
    const path = join(import.meta.dirname, 'golden-slide.png');
    const png = await encodePicture(shot.base, 'png', { maxWidth: 320 });
    if (process.env.UPDATE_GOLDEN === '1') await writeFile(path, png);
    const [now, then] = await Promise.all([png, await readFile(path)].map((bytes) => sharp(bytes).raw().toBuffer()));
    let largest = 0;
    for (const [index, value] of (now ?? Buffer.alloc(0)).entries()) {
      largest = Math.max(largest, Math.abs(value - (then?.[index] ?? -255)));
    }
    // Floating-point differences between architectures change edges by a level or two, but never move a stroke.
    expect(largest).toBeLessThan(12);
  });

  it('gives the same bytes every time, and a key that changes with them', async () => {
    const slide = canvas({ type: 'textbox', left: 10, top: 10, width: 300, text: 'Same again', fontFamily: 'Inter' });
    const hash = (shot: Shot): string =>
      createHash('sha256').update(shot.base.y).update(shot.base.u).update(shot.base.v).digest('hex');
    const [first, second] = [await draw(slide), await draw(slide)];
    expect(hash(second)).toBe(hash(first));
    expect(second.key).toBe(first.key);
    const [moved] = await plan([{ duration: 1 }, slide]).then((shots) => shots.slice(1));
    expect(moved?.key).toBe(first.key);
    const keys = await Promise.all([
      draw(canvas({ type: 'textbox', left: 10, top: 10, width: 300, text: 'Same again!', fontFamily: 'Inter' })),
      draw({ ...slide, duration: 3 }),
      draw(slide, { fps: 30 }),
      draw({ ...slide, avatar: { code: 'ava' } }),
    ]);
    expect(new Set([first.key, ...keys.map((shot) => shot.key)]).size).toBe(5);
    expect(Object.prototype.toString.call(first.base.y.buffer)).toBe('[object SharedArrayBuffer]');
  });

  it('names slide and object when media are unreachable, wrong or missing', async () => {
    const image = (src: string): object[] => [
      {},
      canvas({ type: 'rect' }, { type: 'image', src: `https://media.example/${src}` }),
    ];
    await expect(plan(image('gone'))).rejects.toThrow(/slides\[1\]\.canvas\.objects\[1\]\.src: .*404/);
    const shots = await plan(image('broken'));
    await expect(shots[1]?.draw()).rejects.toThrow(
      /slides\[1\]\.canvas\.objects\[1\]\.src: the picture cannot be decoded/,
    );
    await expect(plan([{ avatar: { code: 'unknown' } }])).rejects.toThrow(
      /slides\[0\]\.avatar: there is no avatar "unknown"/,
    );
    await expect(plan([{ canvas: { background: 'https://media.example/gone' } }])).rejects.toThrow(
      /slides\[0\]\.canvas\.background/,
    );
  });
});

describe('the movements of a presenter', () => {
  it('are those of the document’s seed, the slide and the presenter: two of them do not blink at the same times', () => {
    const seedOf = (code: string) => {
      const [slide] = parseDocument({ slides: [{ id: 1, speech: '', avatar: { code } }] }).document.slides;
      const time = { startFrame: 0, frames: 25, speechStart: null };
      return faceOf({ slide: slide!, time, speech: null }, { fps: 25, seed: 7 }).seed;
    };
    expect(seedOf('ava')).toBe(seedOf('ava'));
    expect(seedOf('ava')).not.toBe(seedOf('mei'));
  });
});

describe('layers', () => {
  it('draw objects that do not overlap the presenter into the base, and the others above it', async () => {
    const shot = await draw({
      avatar: { code: 'ava' },
      ...canvas(
        { type: 'avatar', left: 320, top: 60, width: 300, height: 300 },
        { type: 'rect', left: 20, top: 20, width: 200, height: 50, fill: '#f00' },
        { type: 'rect', left: 400, top: 300, width: 200, height: 40, fill: '#00f' },
      ),
    });
    expect(shot.layers.map((layer) => layer.kind)).toEqual(['presenter', 'sprite']);
    expect(shot.layers[0]).toMatchObject({ placement: { x: 640, y: 120, width: 600, height: 600, crop: 'full' } });
    expectColor(colorAt(shot, 100, 40), [255, 0, 0]);
    expectColor(colorAt(shot, 500, 320), [255, 255, 255]);
  });

  it('draw a disc of the avatar’s colour behind a presenter in a circle', async () => {
    const stand = { type: 'avatar', left: 400, top: 100, width: 200, height: 200, shape: 'circle', fill: '#ff8800' };
    const shot = await draw({ avatar: { code: 'ava' }, ...canvas(stand) });
    expect(shot.layers).toMatchObject([{ kind: 'presenter', placement: { crop: 'circle' } }]);
    expectColor(colorAt(shot, 500, 105), [255, 136, 0]);
    expectColor(colorAt(shot, 405, 105), [255, 255, 255]);
  });

  it('place the presenter by default when the slide has no avatar object', async () => {
    for (const [format, width, height] of [
      ['16_9', 1280, 720],
      ['9_16', 720, 1280],
      ['1_1', 720, 720],
    ] as const) {
      const shot = await draw(
        { avatar: { code: 'ava' }, ...canvas({ type: 'rect', width: 10, height: 10 }) },
        { format },
      );
      const [layer] = shot.layers;
      if (layer?.kind !== 'presenter') throw new Error('no presenter');
      const { x, y, width: w, height: h } = layer.placement;
      expect(y + h).toBe(height);
      // A tall frame cuts the plate's empty sides off.
      expect(x).toBeGreaterThanOrEqual(-0.25 * width);
      expect(x + w).toBeLessThanOrEqual(1.25 * width);
    }
  });

  it('move an animated object as a separate sprite, from outside the frame to its place', async () => {
    const shot = await draw(
      canvas({
        type: 'rect',
        left: 100,
        top: 100,
        width: 80,
        height: 40,
        fill: '#f00',
        animation: { type: 'slide_in_left', exitType: 'fade_out' },
      }),
    );
    const layer = sprite(shot);
    expect(layer.motions).toHaveLength(2);
    expect(layer.x + layer.picture.width + (layer.motions[0]?.from.dx ?? 0)).toBeLessThanOrEqual(2);
    expect(layer.motions[0]?.to).toEqual({ dx: 0, dy: 0, scale: 1, opacity: 1 });
    expect(layer.motions[1]).toMatchObject({ startFrame: 37, frames: 13, to: { opacity: 0 } });
    expectColor(colorAt(shot, 140, 120), [255, 255, 255]);
  });

  it('play a transition by moving the previous slide out over the next one', async () => {
    const shots = await plan([
      { canvas: { background: '#ff0000' } },
      { canvas: { background: '#0000ff' }, transition: 'fade' },
    ]);
    const shot = await shots[1]?.draw();
    if (shot === undefined) throw new Error('no shot');
    expectColor(colorAt(shot, 10, 10), [0, 0, 255]);
    const leaving = sprite(shot);
    expect(leaving.picture.width).toBe(1280);
    expectColor([...yuvToRgba(leaving.picture).data.subarray(0, 3)], [255, 0, 0]);
    expect(leaving.motions).toMatchObject([{ startFrame: 0, from: { opacity: 1 }, to: { opacity: 0 } }]);
  });

  it('show a leaving presenter in its last pose, and a staying one above the transition', async () => {
    const pack = join(import.meta.dirname, '../../../../presenters/packs/ava');
    const slide = { avatar: { code: 'ava' }, canvas: { background: '#ffffff' } };
    const stays = await plan([slide, { ...slide, transition: 'fade' }], {}, pack).then((shots) => shots[1]?.draw());
    expect(stays?.layers.map((layer) => layer.kind)).toEqual(['sprite', 'presenter']);
    const leaves = await plan([slide, { canvas: { background: '#ffffff' }, transition: 'fade' }], {}, pack);
    const shot = await leaves[1]?.draw();
    if (shot === undefined) throw new Error('no shot');
    const { data, width } = yuvToRgba(sprite(shot).picture);
    const middle = (700 * width + 640) * 4;
    expect(Math.min(...data.subarray(middle, middle + 3))).toBeLessThan(200);
  });

  it('keep a leaving presenter turned, also in a transparent video', async () => {
    const pack = join(import.meta.dirname, '../../../../presenters/packs/ava');
    const stand = { type: 'avatar', left: 400, top: 40, width: 240, height: 300, crop: 'bust', angle: 90 };
    const slide = { avatar: { code: 'ava' }, canvas: { background: '#ffffff', objects: [stand] } };
    for (const transparent of [false, true]) {
      const shots = await plan([slide, { canvas: {}, transition: 'fade' }], { transparent }, pack);
      const shot = await shots[1]?.draw();
      const leaving = shot?.layers.find((layer) => layer.kind === 'sprite' && layer.motions.length > 0);
      if (leaving?.kind !== 'sprite') throw new Error('expected the previous slide among the layers');
      const { data, width } = yuvToRgba(leaving.picture);
      const lumaAt = (x: number, y: number): number => {
        const at = (y * 2 * width + x * 2) * 4;
        return data[at + 3]! < 128 ? 255 : Math.min(...data.subarray(at, at + 3));
      };
      // Turned, it reaches from its bottom at 100 to its head at 300; upright, around the same middle, from 130 to 370.
      expect([transparent, lumaAt(115, 160) < 200, lumaAt(340, 300)]).toEqual([transparent, true, 255]);
    }
  });

  it('pass clips on with their place and trim', async () => {
    const shot = await draw(
      canvas({
        type: 'video',
        src: 'https://media.example/clip.mp4',
        left: 20,
        top: 20,
        width: 320,
        height: 180,
        startTime: 2,
      }),
    );
    expect(shot.layers).toMatchObject([
      { kind: 'video', x: 40, y: 40, width: 640, height: 360, startSeconds: 2, loop: true },
    ]);
  });

  it('draw two thousand objects on few layers, in a time that grows with their number', async () => {
    const objects = Array.from({ length: 2000 }, (_, n) => ({
      type: n % 2 === 0 ? 'rect' : 'text',
      text: `t${n}`,
      left: n % 640,
      top: n % 360,
      width: 20,
      height: 20,
      fontSize: 12,
      opacity: 0.9,
      animation: n % 3 === 0 ? 'pop' : null,
    }));
    await expectLinearIn(objects.length, (count) => async () => {
      const shot = await draw({ canvas: { objects: objects.slice(0, count) } });
      expect(shot.layers.length).toBeLessThanOrEqual(200);
    });
  });
});
