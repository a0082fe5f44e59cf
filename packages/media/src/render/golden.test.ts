import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENTRANCES, EXITS, namesOf, TRANSITIONS } from '@figurehead/contract/document';
import { allocateYuv } from '@figurehead/presenter/frame';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeStill, openMp4 } from '../encode/index.js';
import { encodePicture } from '../encode/input/picture.js';
import { type Fonts, openFonts, parseDocument, planShots, planTimeline } from '../scene/index.js';
import { type FramePainter, openFramePainter } from './drawing/frame-painter.js';

// Compares every kind of object, animation and transition with a reviewed picture; `UPDATE_GOLDEN=1` draws new ones for review.

const WIDTH = 240;
/** Tolerated mean difference of a colour value, from resampling and codecs; moved fonts and shapes cause more. */
const TOLERANCE = 1.2;
const STRAY = 40;

const PACK = join(import.meta.dirname, '../../../../presenters/packs/ava');
const text = (value: string, more: object = {}) => ({
  ...{ type: 'textbox', left: 20, top: 20, width: 280, text: value, fontSize: 30, fontFamily: 'Inter', fill: '#123' },
  ...more,
});
const box = { type: 'rect', left: 220, top: 120, width: 200, height: 120, rx: 16, fill: '#e76f51' };
const ramp = (type: string, coords: object) => ({
  ...{ type, gradientUnits: 'percentage', coords },
  colorStops: [
    { offset: 0, color: '#ffd166' },
    { offset: 1, color: '#118ab2' },
  ],
});

/** Slides by name, with the second that is shown. */
const SLIDES: Readonly<
  Record<
    string,
    { readonly objects: readonly object[]; readonly at?: number; readonly slide?: object; readonly data?: object }
  >
> = {
  shapes: {
    objects: [
      { type: 'rect', left: 20, top: 20, width: 120, height: 80, fill: '#264653' },
      {
        type: 'rect',
        left: 160,
        top: 20,
        width: 120,
        height: 80,
        rx: 20,
        fill: '#2a9d8f',
        stroke: '#000',
        strokeWidth: 6,
      },
      { type: 'circle', left: 300, top: 20, radius: 40, fill: '#e9c46a', opacity: 0.6 },
      { type: 'ellipse', left: 400, top: 30, rx: 60, ry: 30, fill: '#f4a261', angle: 20 },
      { type: 'triangle', left: 540, top: 20, width: 80, height: 80, fill: '#e76f51' },
      {
        type: 'line',
        left: 20,
        top: 140,
        x1: 0,
        y1: 0,
        x2: 200,
        y2: 60,
        stroke: '#d00',
        strokeWidth: 8,
        strokeLineCap: 'round',
      },
      {
        type: 'polygon',
        left: 260,
        top: 130,
        points: [
          { x: 0, y: 0 },
          { x: 80, y: 10 },
          { x: 60, y: 80 },
          { x: 10, y: 60 },
        ],
        fill: '#457b9d',
      },
      {
        type: 'polyline',
        left: 380,
        top: 130,
        points: [
          { x: 0, y: 60 },
          { x: 40, y: 0 },
          { x: 80, y: 60 },
          { x: 120, y: 0 },
        ],
        fill: null,
        stroke: '#1d3557',
        strokeWidth: 6,
        strokeDashArray: [12, 6],
      },
      {
        type: 'path',
        left: 540,
        top: 130,
        path: 'M 0 40 C 0 0 60 0 60 40 S 30 80 30 90 S 0 80 0 40 Z',
        fill: '#e63946',
      },
      {
        type: 'rect',
        left: 20,
        top: 240,
        width: 120,
        height: 80,
        fill: ramp('linear', { x1: 0, y1: 0, x2: 1, y2: 1 }),
      },
      {
        type: 'rect',
        left: 180,
        top: 240,
        width: 120,
        height: 80,
        fill: ramp('radial', { x1: 0.5, y1: 0.5, r1: 0, x2: 0.5, y2: 0.5, r2: 0.6 }),
      },
      {
        type: 'rect',
        left: 340,
        top: 240,
        width: 100,
        height: 70,
        fill: '#fff',
        shadow: 'rgba(0,0,0,0.6) 8px 8px 12px',
      },
      {
        type: 'rect',
        left: 490,
        top: 250,
        width: 80,
        height: 50,
        fill: '#8338ec',
        skewX: 20,
        scaleX: 1.3,
        flipX: true,
      },
    ],
  },
  text: {
    objects: [
      text('Left, and wrapped at its width', { width: 180, fontWeight: 'bold' }),
      text('centred, spaced', { left: 230, width: 180, textAlign: 'center', charSpacing: 200, fontSize: 24 }),
      text('right\nlines apart', { left: 440, width: 180, textAlign: 'right', lineHeight: 1.6, fontStyle: 'italic' }),
      text('one\ntwo\nthree', { top: 140, width: 120, list: 'number', fontSize: 24 }),
      text('underlined, struck', { left: 170, top: 140, width: 200, underline: true, linethrough: true, fontSize: 24 }),
      text('Outlined', {
        left: 400,
        top: 140,
        fontSize: 44,
        fill: '#fff',
        stroke: '#d00',
        strokeWidth: 2,
        fontFamily: 'Playfair Display',
      }),
      text('Justified text that fills its lines from edge to edge, save the last', {
        top: 260,
        width: 260,
        textAlign: 'justify',
        fontSize: 20,
      }),
      text('It shrinks until it fits into its box, whatever its size', {
        left: 330,
        top: 250,
        width: 280,
        height: 60,
        fitTextBox: true,
        fontSize: 60,
        backgroundColor: '#ffe8d6',
      }),
    ],
  },
  scripts: {
    objects: [
      text('مرحبا بالعالم 123', { fontSize: 34 }),
      text('שלום עולם', { top: 80, fontSize: 34 }),
      text('नमस्ते दुनिया', { top: 140, fontSize: 34 }),
      text('สวัสดีชาวโลก', { top: 210, fontSize: 34 }),
      text('漢字かな交じり文', { left: 330, fontSize: 34 }),
      text('안녕 세계', { left: 330, top: 80, fontSize: 34 }),
      text('Ελληνικά, Кириллица', { left: 330, top: 140, fontSize: 26 }),
      text('👩‍🚀 🎉 ☀️ → ✓', { left: 330, top: 210, fontSize: 34 }),
    ],
  },
  pictures: {
    objects: [
      { type: 'image', src: 'photo', left: 20, top: 20, width: 160, height: 140 },
      { type: 'image', src: 'photo', left: 200, top: 20, width: 160, height: 140, fit: 'cover', cornerRadius: 24 },
      { type: 'image', src: 'photo', left: 380, top: 20, width: 100, height: 100, cropX: 20, cropY: 10, flipX: true },
      { type: 'image', src: 'turned', left: 520, top: 20, width: 100, height: 140 },
      { type: 'image', src: 'svg', left: 20, top: 200, width: 200, height: 120, angle: -10, opacity: 0.7 },
      {
        type: 'image',
        src: 'photo',
        left: 260,
        top: 190,
        width: 160,
        height: 140,
        clipPath: { type: 'circle', radius: 60, originX: 'center', originY: 'center', left: 0, top: 0 },
      },
      {
        type: 'group',
        left: 440,
        top: 190,
        width: 180,
        height: 130,
        angle: 8,
        objects: [
          { type: 'rect', left: -90, top: -65, width: 180, height: 130, fill: '#073b4c' },
          { type: 'image', src: 'photo', left: -80, top: -55, width: 100, height: 80 },
          { type: 'text', left: -80, top: 30, text: 'Group', fontSize: 24, fill: '#fff', fontFamily: 'Inter' },
        ],
      },
    ],
  },
  clips: {
    at: 0.4,
    objects: [
      { type: 'video', src: 'clip', left: 20, top: 20, width: 200, height: 112 },
      {
        type: 'video',
        src: 'clip',
        left: 340,
        top: 90,
        width: 200,
        height: 112,
        originX: 'center',
        originY: 'center',
        angle: 15,
        cornerRadius: 20,
      },
      {
        type: 'video',
        src: 'clip',
        left: 460,
        top: 20,
        width: 160,
        height: 160,
        startTime: 0.2,
        opacity: 0.5,
        clipPath: { type: 'circle', radius: 40, originX: 'center', originY: 'center', left: 0, top: 0 },
      },
      text('Above the clip', { left: 30, top: 50, width: 180, fill: '#fff', fontSize: 22 }),
    ],
  },
  presenters: {
    at: 0.5,
    objects: [
      { type: 'avatar', left: 20, top: 60, width: 260, height: 300, angle: -12, crop: 'bust' },
      text('Beside', { left: 320 }),
    ],
    slide: { avatar: { code: 'ava' }, expression: 'friendly' },
  },
  disc: {
    at: 0.5,
    objects: [{ type: 'avatar', left: 220, top: 80, width: 200, height: 200, crop: 'circle', fill: '#9bc53d' }],
    slide: { avatar: { code: 'ava' } },
  },
  ...Object.fromEntries(
    namesOf(ENTRANCES)
      .filter((name) => name !== 'none')
      .map((type) => [`entrance-${type}`, { at: 0.32, objects: [{ ...box, animation: { type, duration: 0.8 } }] }]),
  ),
  ...Object.fromEntries(
    namesOf(EXITS)
      .filter((name) => name !== 'none')
      .map((exitType) => [
        `exit-${exitType}`,
        { at: 1.88, objects: [{ ...box, animation: { exitType, exitDuration: 0.4 } }] },
      ]),
  ),
  ...Object.fromEntries(
    namesOf(TRANSITIONS)
      .filter((name) => name !== 'none')
      .map((transition) => [`transition-${transition}`, { at: 0.24, objects: [box], slide: { transition } }]),
  ),
};

let folder: string;
let fonts: Fonts;
let painter: FramePainter;
const media = new Map<string, Buffer>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'golden-'));
  fonts = await openFonts();
  painter = await openFramePainter();
  const pixels = Buffer.alloc(80 * 60 * 3);
  for (let n = 0; n < 80 * 60; n++) pixels.set([(n % 80) * 3, Math.floor(n / 80) * 4, n % 80 > 40 ? 200 : 40], n * 3);
  const photo = sharp(pixels, { raw: { width: 80, height: 60, channels: 3 } });
  media.set('photo', await photo.clone().png().toBuffer());
  media.set('turned', await photo.clone().rotate(-90).withMetadata({ orientation: 6 }).png().toBuffer());
  media.set(
    'svg',
    Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="9"><rect width="16" height="9" fill="#204060"/><circle cx="12" cy="3" r="2" fill="#fc0"/></svg>',
    ),
  );
  const settings = { width: 160, height: 90, fps: 25, preset: 'veryfast', crf: 18, gopFrames: 50 } as const;
  const frame = allocateYuv(160, 90);
  for (let n = 0; n < frame.y.length; n++) frame.y[n] = 40 + (((n % 160) + Math.floor(n / 160)) % 160);
  frame.u.fill(170);
  frame.v.fill(90);
  const writer = await openMp4(join(folder, 'clip.mp4'), settings);
  await writer.write(encodeStill(frame, 50, settings));
  await writer.finish();
});
afterAll(async () => {
  await painter.close();
  await rm(folder, { recursive: true, force: true });
});

/** The frame as pixels, small. */
async function pixelsOf(name: string): Promise<{ data: Buffer; width: number; height: number }> {
  const { objects, at = 0, slide = {}, data = {} } = SLIDES[name]!;
  const before = { id: 1, duration: 1, canvas: { background: '#457b9d', objects: [text('Before')] } };
  const shown = { id: 2, duration: 2, canvas: { background: '#f1faee', objects }, ...slide };
  const { document, problems } = parseDocument({ slides: [before, shown], data: { resolution: 'HD', ...data } });
  expect(problems).toEqual([]);
  const speeches = [null, null];
  const [, shot] = await planShots(document, planTimeline(document, speeches), {
    assets: {
      picture: async (src) => media.get(src) ?? Buffer.alloc(0),
      file: async () => join(folder, 'clip.mp4'),
    },
    fonts,
    speeches,
    clipSize: async () => ({ width: 160, height: 90 }),
    resolvePack: async () => ({ folder: PACK, version: '1' }),
  });
  if (shot === undefined) throw new Error('expected a shot');
  const frame = await painter.paint(await shot.draw(), Math.round(at * 25));
  const png = await encodePicture(frame, 'png', { maxWidth: WIDTH });
  const { data: raw, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data: raw, width: info.width, height: info.height };
}

describe('a frame of every object, animation and transition', () => {
  it.each(Object.keys(SLIDES))('%s looks like its reviewed picture', async (name) => {
    const { data, width, height } = await pixelsOf(name);
    const file = join(import.meta.dirname, 'golden', `${name}.webp`);
    if (process.env.UPDATE_GOLDEN === '1') {
      const raw = { width, height, channels: 3 } as const;
      await writeFile(file, await sharp(data, { raw }).webp({ nearLossless: true, quality: 60, effort: 6 }).toBuffer());
    }
    const golden = await sharp(await readFile(file))
      .removeAlpha()
      .raw()
      .toBuffer();
    expect(golden.length).toBe(data.length);
    let error = 0;
    let strayed = 0;
    for (let n = 0; n < data.length; n++) {
      const difference = Math.abs(data[n]! - golden[n]!);
      error += difference;
      if (difference > STRAY) strayed++;
    }
    expect(error / data.length, name).toBeLessThan(TOLERANCE);
    // An edge that moves by one pixel of these small pictures exceeds the limit.
    expect(strayed / data.length, name).toBeLessThan(0.002);
  });
});
