import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { LipSync, RenderReport } from '@figurehead/contract';
import {
  type Assets,
  allocateYuv,
  createSpeech,
  encodeStill,
  openFolderStore,
  openFonts,
  openMp4,
  openSegmentCache,
  probe,
  type RenderedFiles,
  type RenderResources,
} from '@figurehead/media';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createValidation } from '../../../kernel/http/validation.js';
import type { FrozenVideo, RenderContext, RenderPipeline } from '../contract.js';
import { readLipSync } from '../lip-sync.js';
import { chooseEncoder } from './encoder-choice.js';
import { createPipeline } from './pipeline.js';

const PACK = fileURLToPath(new URL('../../../../../../presenters/packs/ava', import.meta.url));
const speech = createSpeech({ threads: 1 });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'documents-'));
});
afterAll(async () => {
  await speech.close();
  await rm(folder, { recursive: true, force: true });
});

/** Alpha, red, green and blue of the first pixel of a picture's first page. */
async function cornerOf(file: string): Promise<number[]> {
  const [red, green, blue, alpha] = await sharp(file).ensureAlpha().raw().toBuffer();
  return [alpha ?? -1, red ?? 0, green ?? 0, blue ?? 0];
}

function pipelineWith(parts: Partial<RenderResources> = {}): RenderPipeline {
  const resources: RenderResources = {
    speech,
    fonts: () => openFonts(),
    resolveVoice: async () => ({ provider: 'flite', voice: 'slt', locale: 'en-US' }),
    resolvePack: async () => ({ folder: PACK, version: '1' }),
    assets: { picture: async () => Buffer.alloc(0), file: async () => '' },
    threads: 2,
    ...parts,
  };
  return createPipeline({ resources: () => resources, inspect: async () => undefined });
}

const slide = (id: number, text: string, more: object = {}) => ({
  id,
  speech: text,
  canvas: { background: '#204060', objects: [{ type: 'textbox', left: 20, top: 20, width: 200, text: `Slide ${id}` }] },
  ...more,
});

const video = (slides: readonly object[], data: object = {}): FrozenVideo => ({
  workspaceId: 'w',
  videoId: 'v',
  name: 'Video',
  slides: slides as FrozenVideo['slides'],
  data: { resolution: 'HD', ...data },
  fitTextBox: false,
});

async function context(): Promise<RenderContext> {
  const own = await mkdtemp(join(folder, 'run-'));
  return { folder: own, signal: new AbortController().signal, onProgress: () => undefined };
}

const reusedIn = (report: RenderedFiles['report']) =>
  report.slides.map(({ id, reused }) => [id, [...reused].sort().join(' ')]);

describe('a video that is rendered again', () => {
  it('draws, speaks and encodes only changes, and lists what it reused', async () => {
    const at = (name: string) => join(folder, 'cache', name);
    const pipeline = pipelineWith({
      caches: async () => ({
        segments: await openSegmentCache(at('segments'), { maxBytes: 1e8 }),
        drawings: await openFolderStore(at('drawings'), { maxBytes: 1e8 }),
        speech: await openFolderStore(at('speech'), { maxBytes: 1e8 }),
      }),
    });
    const slides = [slide(7, 'Good morning.', { avatar: { code: 'ava' } }), slide(8, 'Good night.')];
    const first = await pipeline.render(video(slides), await context());
    expect(reusedIn(first.report)).toEqual([
      [7, ''],
      [8, ''],
    ]);
    const again = await pipeline.render(video(slides), await context());
    expect(reusedIn(again.report)).toEqual([
      [7, 'background pictures speech'],
      [8, 'background pictures speech'],
    ]);
    expect(again.report.contentHash).toBe(first.report.contentHash);
    expect(again.report.reusedSegments).toBe(again.report.segments);
    expect((await readFile(again.video)).equals(await readFile(first.video))).toBe(true);
    const changed = [slide(7, 'Good evening.', { avatar: { code: 'ava' } }), slides[1]!];
    const third = await pipeline.render(video(changed), await context());
    // A changed word changes the mouth, in front of the same background.
    expect(reusedIn(third.report)).toEqual([
      [7, 'background'],
      [8, 'background pictures speech'],
    ]);
    expect(third.report.contentHash).not.toBe(first.report.contentHash);
    expect(createValidation().body(RenderReport)(third.report)).toEqual(third.report);
  });
});

describe('the output of a rendering', () => {
  it('follows the document’s settings: codec, captions, a GIF', async () => {
    const wishes = { codec: 'vp9', captions: 'words', gifEnabled: true, subtitlesEnabled: true };
    const files = await pipelineWith().render(video([slide(1, 'Hello there.')], wishes), await context());
    expect(files.video).toMatch(/video\.webm$/);
    const info = await probe(files.video);
    expect([info.video?.codec, info.audio?.codec]).toEqual(['vp9', expect.stringContaining('opus')]);
    expect(String((await readFile(files.gif ?? '')).subarray(0, 6))).toBe('GIF89a');
    const transparent = await pipelineWith().render(
      video([slide(1, '', { duration: 0.4 })], { transparent: true, gifEnabled: true }),
      await context(),
    );
    expect(transparent.video).toMatch(/\.webm$/);
    // The corner of the slide is transparent; in the JPEG it is white.
    for (const file of [transparent.gif ?? '', transparent.thumbnailWebp]) expect((await cornerOf(file))[0]).toBe(0);
    const [alpha, ...rgb] = await cornerOf(transparent.thumbnailJpeg);
    expect([alpha, Math.min(...rgb) > 250]).toEqual([255, true]);
  });

  it('names the slide that an encoder refuses, removes its files, and continues with the next video', async () => {
    // Without such a graphics card the encoder fails to open in its thread.
    const pipeline = pipelineWith({ nvenc: true });
    const refused = await context();
    const slides = [slide(1, '', { duration: 0.4 })];
    await expect(pipeline.render(video(slides), refused)).rejects.toMatchObject({
      name: 'SlideFailure',
      message: expect.stringMatching(/^slides\[0\]: .*h264_nvenc/),
    });
    expect(await readdir(refused.folder)).toEqual([]);
    const next = await pipeline.render(video(slides, { codec: 'vp9' }), await context());
    expect((await probe(next.video)).video?.codec).toBe('vp9');
  });

  it('reports what moved the mouth: sound, words, phonemes and one value of each curve per frame', async () => {
    const files = await pipelineWith().render(
      video([slide(1, 'Papa bought a boat.', { avatar: { code: 'ava' } })]),
      await context(),
    );
    const objects = { get: async () => ({ body: Readable.from(await readFile(files.lipSync)) }) } as never;
    const sheet = await readLipSync({ objects }, { status: 'ready', lipSyncKey: 'x' });
    expect(createValidation().body(LipSync)(structuredClone(sheet))).toEqual(sheet);
    expect(sheet.words.map((word) => word.text.toLowerCase().replace('.', ''))).toEqual([
      'papa',
      'bought',
      'a',
      'boat',
    ]);
    expect(sheet.peaks.length).toBe(Math.ceil(sheet.duration * sheet.peaksPerSecond));
    expect(Math.max(...sheet.peaks)).toBeGreaterThan(0.1);
    const curves = new Map(sheet.curves.map(({ name, values }) => [name, values]));
    expect([...curves.values()].every((values) => values.length === files.report.frames)).toBe(true);
    expect([...curves.values()].flat().every((value) => value >= 0 && value <= 1)).toBe(true);
    // Each p is a closure, in which the lips are pressed together.
    const presses = sheet.phonemes.filter(({ viseme }) => viseme === 'PP');
    expect(presses.length).toBeGreaterThanOrEqual(4);
    for (const { start, end } of presses) {
      const during = curves.get('open')!.slice(Math.floor(start * 25) - 1, Math.ceil(end * 25) + 1);
      expect(Math.min(...during)).toBeLessThan(0.1);
    }
    await expect(readLipSync({ objects }, { status: 'draft', lipSyncKey: null })).rejects.toMatchObject({
      status: 400,
    });
  });
});

describe('unusable media and texts', () => {
  /** A PNG that claims to be 40 000 px wide and high. */
  const HUGE = Buffer.from('89504e470d0a1a0a0000000d4948445200009c4000009c400806000000', 'hex');
  const files: Record<string, string | Buffer | Error> = {
    dead: new Error('https://media.example/dead answered with status 404'),
    slow: new Error('no answer within 20 s'),
    huge: HUGE,
    page: Buffer.from('<!doctype html><p>Not here</p>'),
  };
  const assets: Assets = {
    picture: async (src) => {
      const found = files[src.slice('https://media.example/'.length)];
      if (found instanceof Error || found === undefined) throw found ?? new Error('unknown');
      return Buffer.from(found);
    },
    file: async (src) => {
      const path = join(folder, 'medium');
      await writeFile(path, await assets.picture(src));
      return path;
    },
  };
  const image = (name: string, more: object = {}) => ({
    ...{ type: 'image', src: `https://media.example/${name}`, left: 0, top: 0, width: 50, height: 50 },
    ...more,
  });
  const clip = (name: string) => ({ ...image(name), type: 'video' });
  const still = { id: 1, speech: '', duration: 0.2 };
  const objects = (...list: object[]) => [
    { ...still, canvas: { objects: [{ type: 'rect', width: 5, height: 5 }, ...list] } },
  ];
  const OBJECT = 'slides[0].canvas.objects[1]';

  it.each([
    ['a dead address', objects(image('dead')), {}, `${OBJECT}.src: the picture cannot be fetched: .*404`],
    ['a server that does not answer', objects(image('slow')), {}, `${OBJECT}.src: .*no answer within 20 s`],
    ['a picture of a billion pixels', objects(image('huge')), {}, `${OBJECT}.src: the picture cannot be decoded`],
    ['a page instead of a picture', objects(image('page')), {}, `${OBJECT}.src: the picture cannot be decoded`],
    ['a page instead of a clip', objects(clip('page')), {}, `${OBJECT}.src: the clip cannot be used`],
    [
      'a page instead of music',
      [still],
      { musicUrl: 'https://media.example/page' },
      'data.musicUrl: the music cannot be used',
    ],
    [
      'a hundred thousand characters',
      objects({ type: 'textbox', text: 'x'.repeat(100_000), width: 99 }),
      {},
      `${OBJECT}.text: .*20000`,
    ],
    [
      'ten thousand objects',
      [{ ...still, canvas: { objects: new Array(10_000).fill({ type: 'rect' }) } }],
      {},
      'slides\\[0\\].canvas.objects: .*2000',
    ],
    [
      'a size that is not a number',
      objects(image('dead', { width: Number.NaN, height: 'NaN' })),
      {},
      `${OBJECT}.(width|height): expected a number`,
    ],
    [
      'a negative size',
      objects({ type: 'rect', width: -5, height: 5 }),
      {},
      `${OBJECT}.width: expected a number from 0`,
    ],
  ])('%s: one error that names slide and object, and no files left', async (_what, slides, data, expected) => {
    const run = await context();
    const pipeline = pipelineWith({ assets });
    const failure = await pipeline.render(video(slides, data), run).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'RenderProblem' });
    expect((failure as Error).message).toMatch(
      new RegExp(expected.replaceAll('[0].c', '\\[0\\].c').replaceAll('objects[1]', 'objects\\[1\\]')),
    );
    expect(await readdir(run.folder)).toEqual([]);
  });

  it('an invalid font is named', async () => {
    const path = join(folder, 'liar.ttf');
    await writeFile(path, 'not a font');
    const pipeline = pipelineWith({ fonts: () => openFonts([{ family: 'Liar', file: path }]) });
    await expect(pipeline.render(video([still]), await context())).rejects.toMatchObject({
      name: 'RenderProblem',
      message: expect.stringContaining('liar'),
    });
  });

  it('a background video of half an hour costs only as much as its visible part', async () => {
    const long = join(folder, 'long.mp4');
    const settings = { width: 64, height: 36, fps: 25, preset: 'veryfast', crf: 30, gopFrames: 250 } as const;
    const writer = await openMp4(long, settings);
    await writer.write(encodeStill(allocateYuv(64, 36), 30 * 60 * 25, settings));
    await writer.finish();
    const background = 'https://media.example/long.mp4';
    const pipeline = pipelineWith({ assets: { ...assets, file: async () => long } });
    const files = await pipeline.render(video([{ ...still, canvas: { background } }]), await context());
    expect(files.report.frames).toBe(5);
  });
});

describe('the H.264 encoder of a worker', () => {
  const log = { info: () => undefined };
  const none = () => ({ found: false, reason: 'no driver' }) as const;
  const card = () => ({ found: true }) as const;

  it('is a working graphics card, otherwise the CPU, or as configured', () => {
    expect(chooseEncoder({ config: { encoder: 'auto' }, log }, none)).toEqual({ nvenc: false });
    expect(chooseEncoder({ config: { encoder: 'auto' }, log }, card)).toEqual({ nvenc: true });
    expect(chooseEncoder({ config: { encoder: 'cpu' }, log }, card)).toEqual({ nvenc: false });
    expect(() => chooseEncoder({ config: { encoder: 'nvenc' }, log }, none)).toThrow('no driver');
  });
});
