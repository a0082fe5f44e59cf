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
  decodeAudio,
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
import { asRecorded, writeWav } from '../../../../../../tests/support/recorded.js';
import { FetchError } from '../../../kernel/contract.js';
import { createValidation } from '../../../kernel/http/validation.js';
import { MediumRefused } from '../../library/offline.js';
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

function resourcesWith(parts: Partial<RenderResources> = {}): RenderResources {
  return {
    speech,
    fonts: () => openFonts(),
    resolveVoice: async () => ({ provider: 'flite', voice: 'slt', locale: 'en-US' }),
    resolvePack: async () => ({ folder: PACK, version: '1' }),
    assets: { picture: async () => Buffer.alloc(0), file: async () => '' },
    threads: 2,
    ...parts,
  };
}

const temporaryParts = {
  temporary: { within: <T>(_stem: string, work: (place: string) => Promise<T>) => work(folder) },
};

function pipelineWith(parts: Partial<RenderResources> = {}): RenderPipeline {
  const resources = resourcesWith(parts);
  return createPipeline({ ...temporaryParts, resources: () => resources, inspect: async () => undefined });
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
    const first = await pipeline.run('render', video(slides), await context());
    expect(reusedIn(first.report)).toEqual([
      [7, ''],
      [8, ''],
    ]);
    const again = await pipeline.run('render', video(slides), await context());
    expect(reusedIn(again.report)).toEqual([
      [7, 'background pictures speech'],
      [8, 'background pictures speech'],
    ]);
    expect(again.report.contentHash).toBe(first.report.contentHash);
    expect(again.report.reusedSegments).toBe(again.report.segments);
    expect((await readFile(again.video)).equals(await readFile(first.video))).toBe(true);
    const changed = [slide(7, 'Good evening.', { avatar: { code: 'ava' } }), slides[1]!];
    const third = await pipeline.run('render', video(changed), await context());
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
    const files = await pipelineWith().run('render', video([slide(1, 'Hello there.')], wishes), await context());
    expect(files.video).toMatch(/video\.webm$/);
    const info = await probe(files.video);
    expect([info.video?.codec, info.audio?.codec]).toEqual(['vp9', expect.stringContaining('opus')]);
    expect(String((await readFile(files.gif ?? '')).subarray(0, 6))).toBe('GIF89a');
    const transparent = await pipelineWith().run(
      'render',
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
    await expect(pipeline.run('render', video(slides), refused)).rejects.toMatchObject({
      name: 'SlideFailure',
      message: expect.stringMatching(/^slides\[0\]: .*h264_nvenc/),
    });
    expect(await readdir(refused.folder)).toEqual([]);
    const next = await pipeline.run('render', video(slides, { codec: 'vp9' }), await context());
    expect((await probe(next.video)).video?.codec).toBe('vp9');
  });

  it('reports what moved the mouth: sound, words, phonemes and one value of each curve per frame', async () => {
    const files = await pipelineWith().run(
      'render',
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

describe('a slide that speaks a recording', () => {
  const SCRIPT = 'My mother bought a big black bag of plums. People may pick the best of them before supper.';
  const recorded = (more: object = {}) =>
    slide(1, SCRIPT, {
      avatar: { code: 'ava' },
      language: 'English',
      voiceType: 'audio',
      recording: { src: 'voice.wav' },
      ...more,
    });
  const withFile = async (samples: Float32Array, parts: Partial<RenderResources> = {}) => {
    const file = await writeWav(join(folder, `${crypto.randomUUID()}.wav`), samples);
    return pipelineWith({ assets: { picture: async () => Buffer.alloc(0), file: async () => file }, ...parts });
  };
  const sheetOf = async (files: RenderedFiles) =>
    readLipSync(
      { objects: { get: async () => ({ body: Readable.from(await readFile(files.lipSync)) }) } as never },
      { status: 'ready', lipSyncKey: 'x' },
    );

  it('has its sound, its subtitles at the spoken words and lips that close, at the loudness of a synthesised slide', async () => {
    const said = await speech.utter('flite', SCRIPT, { voice: 'slt' });
    const pipeline = await withFile(asRecorded(said.samples));
    const slides = [recorded(), slide(2, SCRIPT)];
    const files = await pipeline.run('render', video(slides, { subtitlesEnabled: true }), await context());
    const sheet = await sheetOf(files);
    const count = said.marks.words.length;
    const [own, other] = [sheet.words.slice(0, count), sheet.words.slice(count)];
    const sound = await decodeAudio(files.video, { maxSeconds: 60 });
    const level = (words: typeof own): number => {
      const part = sound.subarray((words[0]?.start ?? 0) * 48_000, (words.at(-1)?.end ?? 0) * 48_000);
      return 10 * Math.log10(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length);
    };
    expect(Math.abs(level(own) - level(other))).toBeLessThan(1);
    const begin = own[0]?.start ?? 0;
    // Silence at its ends was cut.
    expect(begin).toBeCloseTo((other[0]?.start ?? 0) - files.durationSeconds / 2, 0);
    const late = own.filter(
      ({ start }, at) => Math.abs(start - begin - (said.marks.words[at]?.start ?? 0) / 48_000) > 0.12,
    );
    expect(late.length).toBeLessThanOrEqual(1);
    const people = own.find(({ text }) => text === 'People')?.start ?? 0;
    const cue = /(\d+):(\d+)\.(\d+) --> [^\n]*\nPeople/u.exec(await readFile(files.vtt, 'utf8'));
    expect(Number(cue?.[1]) * 60 + Number(`${cue?.[2]}.${cue?.[3]}`)).toBeCloseTo(people, 1);
    const open = sheet.curves.find(({ name }) => name === 'open')?.values ?? [];
    const presses = sheet.phonemes.filter(({ viseme }) => viseme === 'PP');
    expect(presses.length).toBeGreaterThanOrEqual(10);
    for (const { start, end } of presses) {
      expect(Math.min(...open.slice(Math.floor(start * 25) - 1, Math.ceil(end * 25) + 1))).toBeLessThan(0.1);
    }
  });

  it('is read again only when the file or its script has changed, regardless of its URL', async () => {
    const said = await speech.utter('flite', SCRIPT, { voice: 'slt' });
    const store = await openFolderStore(join(folder, 'recorded'), { maxBytes: 1e8 });
    const segments = await openSegmentCache(join(folder, 'recorded-segments'), { maxBytes: 1e8 });
    const caches = async () => ({ speech: store, segments });
    const render = async (samples: Float32Array, more: object = {}) =>
      (await withFile(samples, { caches })).run('render', video([recorded(more)]), await context());
    const first = await render(said.samples);
    const moved = await render(said.samples, { recording: { src: 'https://media.example/voice.wav?signature=2' } });
    expect(reusedIn(first.report)).toEqual([[1, '']]);
    expect(moved.report.slides[0]?.reused).toEqual(expect.arrayContaining(['speech', 'pictures']));
    expect(moved.report.contentHash).toBe(first.report.contentHash);
    const louder = await render(said.samples.map((sample) => sample * 0.5));
    expect(louder.report.slides[0]?.reused).not.toContain('speech');
  });

  it.each([
    ['a silent file', new Float32Array(48_000), {}, 'slides[0].recording: the recording cannot be used: it is silent'],
    ['no file', new Float32Array(0), { recording: null }, 'slides[0].recording: a slide with the voice type "audio"'],
    ['broken SSML', new Float32Array(0), { speech: '<speak>Hello' }, 'slides[0].speech: '],
  ])('%s is one error that names the slide', async (_what, samples, more, expected) => {
    const pipeline = await withFile(samples);
    const failure = await pipeline
      .run('render', video([recorded(more)]), await context())
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'RenderProblem', message: expect.stringContaining(expected) });
  });

  it('is opened by the dry run, and named when that fails', async () => {
    const asked: string[] = [];
    const resources: RenderResources = {
      speech,
      fonts: () => openFonts(),
      resolveVoice: () => Promise.reject(new Error('a recording needs no voice')),
      resolvePack: async () => ({ folder: PACK, version: '1' }),
      assets: { picture: async () => Buffer.alloc(0), file: async () => '' },
    };
    const inspect = async (what: string, src: string) => {
      asked.push(`${what} ${src}`);
      throw new MediumRefused('expected a file with sound, got pictures alone');
    };
    const problems = await createPipeline({ ...temporaryParts, resources: () => resources, inspect }).validate(
      video([recorded()]),
    );
    expect(asked).toEqual(['sound voice.wav']);
    const message = 'the recording cannot be used: expected a file with sound, got pictures alone';
    expect(problems).toEqual([{ field: 'slides[0].recording.src', message }]);
  });

  it('is named when it cannot be fetched', async () => {
    const file = () => Promise.reject(new MediumRefused('the file no longer exists on this server'));
    const pipeline = pipelineWith({ assets: { picture: async () => Buffer.alloc(0), file } });
    await expect(pipeline.run('render', video([recorded()]), await context())).rejects.toThrow(
      'slides[0].recording.src: the recording cannot be used: the file no longer exists on this server',
    );
  });
});

describe('an outage of a resource', () => {
  const outage = Object.assign(new Error('terminating connection due to unexpected postmaster exit'), {
    code: '57P01',
  });
  const fails = () => Promise.reject(outage);
  const nothing = { picture: async () => Buffer.alloc(0), file: async () => '' };
  const seen = (canvas: object) => slide(1, 'Hello.', { avatar: { code: 'ava' }, canvas });

  it.each<[string, Partial<RenderResources>, FrozenVideo]>([
    ['the voice', { resolveVoice: fails }, video([seen({})])],
    ['the presenter', { resolvePack: fails }, video([seen({})])],
    ['the fonts', { fonts: fails }, video([seen({})])],
    [
      'a picture',
      { assets: { ...nothing, picture: fails } },
      video([seen({ objects: [{ type: 'image', src: 'a.png', width: 9, height: 9 }] })]),
    ],
    [
      'a clip',
      { assets: { ...nothing, file: fails } },
      video([seen({ objects: [{ type: 'video', src: 'a.mp4', width: 9, height: 9 }] })]),
    ],
    [
      'a recording',
      { assets: { ...nothing, file: fails } },
      video([slide(1, '', { voiceType: 'audio', recording: { src: 'voice.wav' } })]),
    ],
    ['the music', { assets: { ...nothing, file: fails } }, video([slide(1, 'Hi.')], { musicUrl: 'music.mp3' })],
  ])('is not a problem of the document, so the render is tried again: %s', async (_what, parts, document) => {
    await expect(pipelineWith(parts).run('render', document, await context())).rejects.toBe(outage);
  });

  it('is not a problem that a dry run reports', async () => {
    const document = video([seen({ objects: [{ type: 'image', src: 'a.png' }] })]);
    for (const parts of [{ resolveVoice: fails }, { resolvePack: fails }]) {
      await expect(pipelineWith(parts).validate(document)).rejects.toBe(outage);
    }
    const unreachable = createPipeline({ ...temporaryParts, resources: () => resourcesWith(), inspect: fails });
    await expect(unreachable.validate(document)).rejects.toBe(outage);
  });
});

describe('unusable media and texts', () => {
  /** A PNG that claims to be 40 000 px wide and high. */
  const HUGE = Buffer.from('89504e470d0a1a0a0000000d4948445200009c4000009c400806000000', 'hex');
  const files: Record<string, string | Buffer | Error> = {
    dead: new MediumRefused('https://media.example/dead answered with status 404'),
    slow: new FetchError('timeout', 'no answer within 20 s'),
    huge: HUGE,
    page: Buffer.from('<!doctype html><p>Not here</p>'),
  };
  const assets: Assets = {
    picture: async (src) => {
      const found = files[src.slice('https://media.example/'.length)];
      if (found instanceof Error || found === undefined) throw found ?? new MediumRefused('unknown');
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
  ])('%s causes one error that names slide and object, and leaves no files', async (_what, slides, data, expected) => {
    const run = await context();
    const pipeline = pipelineWith({ assets });
    const failure = await pipeline.run('render', video(slides, data), run).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'RenderProblem' });
    expect((failure as Error).message).toMatch(
      new RegExp(expected.replaceAll('[0].c', '\\[0\\].c').replaceAll('objects[1]', 'objects\\[1\\]')),
    );
    expect(await readdir(run.folder)).toEqual([]);
  });

  it('an invalid font is named where a text uses it, and does not matter elsewhere', async () => {
    const path = join(folder, 'liar.ttf');
    await writeFile(path, 'not a font');
    const pipeline = pipelineWith({ fonts: () => openFonts([{ family: 'Liar', file: path }]) });
    expect((await pipeline.run('render', video([still]), await context())).report.frames).toBe(5);
    const text = { type: 'text', text: 'Hi', fontFamily: 'Liar' };
    const titled = video([{ ...still, canvas: { objects: [text] } }]);
    await expect(pipeline.run('render', titled, await context())).rejects.toMatchObject({
      name: 'RenderProblem',
      message: expect.stringContaining('liar'),
    });
  });

  it('only the visible part of a background video of half an hour is decoded', async () => {
    const long = join(folder, 'long.mp4');
    const settings = { width: 64, height: 36, fps: 25, preset: 'veryfast', crf: 30, gopFrames: 250 } as const;
    const writer = await openMp4(long, settings);
    await writer.write(encodeStill(allocateYuv(64, 36), 30 * 60 * 25, settings));
    await writer.finish();
    const background = 'https://media.example/long.mp4';
    const pipeline = pipelineWith({ assets: { ...assets, file: async () => long } });
    const files = await pipeline.run('render', video([{ ...still, canvas: { background } }]), await context());
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
