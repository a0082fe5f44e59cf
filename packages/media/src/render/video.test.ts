import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { allocateYuv, type YuvFrame } from '@figurehead/presenter/frame';
import type { Size } from '@figurehead/presenter/geometry';
import { samplesPerFrame } from '@figurehead/presenter/time';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeStill } from '../encode/codecs/segment-encoder.js';
import { openMp4 } from '../encode/container/mp4.js';
import { openOutput } from '../encode/container/output.js';
import type { VideoSettings } from '../encode/contract.js';
import { probe } from '../encode/input/decode.js';
import { decodeFrames } from '../encode/input/video-reader.js';
import type { PresenterLayer, Shot, SpriteLayer, VideoLayer } from '../scene/contract.js';
import { createThreadCache } from './segments/drawing-threads.js';
import { openSegmentCache } from './segments/segment-cache.js';
import { renderSegments } from './segments/segments.js';
import { renderVideo } from './video.js';

const settings: VideoSettings = { width: 320, height: 180, fps: 25, preset: 'veryfast', crf: 20, gopFrames: 10 };
const pack = fileURLToPath(new URL('../../../../presenters/packs/marcus', import.meta.url));

/** Runs V8's garbage collector completely. */
function exposedCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

function flat(y: number, u = 128, v = 128, { width, height }: Size = settings): YuvFrame {
  const frame = allocateYuv(width, height);
  frame.y.fill(y);
  frame.u.fill(u);
  frame.v.fill(v);
  return frame;
}

function box(x: number, y: number, moved = true): SpriteLayer {
  const colour = allocateYuv(40, 40);
  colour.y.fill(220);
  colour.u.fill(128);
  colour.v.fill(128);
  const rest = { dx: 0, dy: 0, scale: 1, opacity: 1 };
  const motion = { startFrame: 0, frames: 10, from: { ...rest, dx: -200 }, to: rest, easing: 'linear' } as const;
  return {
    kind: 'sprite',
    picture: { ...colour, a: new Uint8Array(1600).fill(255) },
    x,
    y,
    motions: moved ? [motion] : [],
  };
}

function presenter(): PresenterLayer {
  return {
    kind: 'presenter',
    pack,
    placement: { x: 200, y: 30, width: 110, height: 150, crop: 'bust' },
    face: { seed: 7, stretches: [] },
    motions: [],
  };
}

function shot(
  key: string,
  startFrame: number,
  frames: number,
  layers: Shot['layers'],
  base = flat(60, 140, 110),
): Shot {
  return { key, format: { width: 320, height: 180, fps: 25 }, startFrame, frames, base, layers };
}

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'render-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function job(shots: Shot[], out = 'a.mp4') {
  const frames = shots.reduce((sum, each) => sum + each.frames, 0);
  const audio = new Float32Array(frames * samplesPerFrame(25));
  const cues = [{ start: 0, end: 0.8, text: 'Hello', words: [] }];
  const chapters = [{ start: 0, end: 1, title: 'One' }];
  return {
    shots,
    audio,
    timeline: { cues, chapters },
    subtitleTrack: false,
    settings,
    out: join(folder, out),
    threads: 2,
  };
}

async function lumaAt(file: string, frame: number, x: number, y: number): Promise<number> {
  let index = 0;
  for await (const picture of decodeFrames(file)) {
    if (index++ === frame) return picture.y[y * picture.yStride + x]!;
  }
  throw new Error(`no frame ${frame}`);
}

describe('rendering a video', () => {
  // Proves: D.videos.41
  it('contains exactly the frames of its shots, with sound, subtitles and thumbnails', async () => {
    const seen: number[] = [];
    const made = await renderVideo({
      ...job([shot('one', 0, 47, [box(40, 100)]), shot('two', 47, 31, [presenter()]), shot('three', 78, 1, [])]),
      onProgress: (frames) => seen.push(frames),
    });
    expect(made).toMatchObject({ frames: 79, durationSeconds: 79 / 25, reusedSegments: 0 });
    expect(seen.at(-1)).toBe(79);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(made.vtt).toContain('Hello');
    // The cues have their own files; the film has no track of them.
    expect((await readFile(join(folder, 'a.mp4'))).includes('Hello')).toBe(false);
    expect(made.srt).toContain('00:00:00,000 --> 00:00:00,800');
    expect((await probe(join(folder, 'a.mp4'))).video).toMatchObject({ frames: 79, fps: 25 });
    expect(await sharp(made.thumbnail.webp).metadata()).toMatchObject({ format: 'webp', width: 320, height: 180 });
    // The thumbnail shows the box at its final position.
    const { data, info } = await sharp(made.thumbnail.jpeg).raw().toBuffer({ resolveWithObject: true });
    expect(data[(120 * info.width + 60) * info.channels]).toBeGreaterThan(200);
    let count = 0;
    for await (const frame of decodeFrames(join(folder, 'a.mp4'))) {
      expect(frame.width).toBe(320);
      count++;
    }
    expect(count).toBe(79);
    expect(await readdir(folder)).toEqual(['a.mp4']);
  });

  it('restores the area that a moving layer leaves', async () => {
    await renderVideo(job([shot('move', 0, 20, [box(220, 20)])]));
    const file = join(folder, 'a.mp4');
    expect(await lumaAt(file, 2, 80, 40)).toBeGreaterThan(180);
    expect(Math.abs((await lumaAt(file, 8, 80, 40)) - 60)).toBeLessThan(12);
    expect(await lumaAt(file, 19, 240, 40)).toBeGreaterThan(200);
  });

  it('draws the presenter into the frame, and lets it move', async () => {
    await renderVideo(job([shot('face', 0, 40, [presenter()])]));
    const differs = (a: Buffer, b: Uint8Array): number =>
      a.reduce((sum, value, at) => sum + Math.abs(value - b[at]!), 0);
    let first: Buffer | undefined;
    let last = 0;
    for await (const frame of decodeFrames(join(folder, 'a.mp4'))) {
      first ??= Buffer.from(frame.y);
      last = differs(first, frame.y);
    }
    expect(differs(first!, new Uint8Array(first!.length).fill(60))).toBeGreaterThan(100_000);
    expect(last).toBeGreaterThan(500);
  });

  it('plays a video layer, looped when it is shorter than its shot', async () => {
    const clip = join(folder, 'clip.mp4');
    const small = { ...settings, width: 64, height: 48 };
    const writer = await openMp4(clip, small);
    for (const luma of [40, 120, 200]) {
      const frame = allocateYuv(64, 48);
      frame.y.fill(luma);
      frame.u.fill(128);
      frame.v.fill(128);
      await writer.write(encodeStill(frame, 10, small));
    }
    await writer.finish();
    const layer: VideoLayer = {
      kind: 'video',
      file: clip,
      x: 100,
      y: 60,
      width: 80,
      height: 60,
      startSeconds: 0.4,
      loop: true,
      motions: [],
    };
    await renderVideo(job([shot('clip', 0, 50, [layer])]));
    const at = (frame: number): Promise<number> => lumaAt(join(folder, 'a.mp4'), frame, 140, 90);
    expect(Math.abs((await at(5)) - 120)).toBeLessThan(6);
    expect(Math.abs((await at(15)) - 200)).toBeLessThan(6);
    expect(Math.abs((await at(25)) - 120)).toBeLessThan(6);
    expect(Math.abs((await lumaAt(join(folder, 'a.mp4'), 25, 20, 20)) - 60)).toBeLessThan(6);
  });

  it('shows what is behind the transparent parts of a clip, at rest and in motion', async () => {
    const clip = join(folder, 'clip.webm');
    const small = { ...settings, width: 80, height: 60, codec: 'vp9', alpha: true } as const;
    const writer = await openOutput(clip, small);
    const picture = { ...flat(200, 128, 128, small), a: new Uint8Array(80 * 60) };
    for (let row = 0; row < 60; row++) picture.a.fill(255, row * 80, row * 80 + 40);
    await writer.write(encodeStill(picture, 50, small));
    await writer.finish();
    const place = { x: 100, y: 60, width: 80, height: 60, startSeconds: 0, loop: false };
    const away = { dx: -60, dy: 0, scale: 1, opacity: 1 };
    const motion = { startFrame: 0, frames: 20, from: away, to: { ...away, dx: 0 }, easing: 'linear' } as const;
    await renderVideo(job([shot('clip', 0, 50, [{ kind: 'video', file: clip, ...place, motions: [motion] }])]));
    for (const [frame, moved] of [
      [0, -60],
      [40, 0],
    ] as const) {
      const lumas = [120, 160].map((x) => lumaAt(join(folder, 'a.mp4'), frame, x + moved, 90));
      const [solid, clear] = await Promise.all(lumas);
      expect(Math.abs((solid ?? 0) - 200)).toBeLessThan(6);
      expect(Math.abs((clear ?? 0) - 60)).toBeLessThan(6);
    }
  });

  it('produces the same frames with one or two threads', async () => {
    const shots = [shot('a', 0, 65, [presenter(), box(10, 10)])];
    await renderVideo({ ...job(shots, 'one.mp4'), threads: 1 });
    await renderVideo({ ...job(shots, 'two.mp4'), threads: 2 });
    const pixels = async (name: string): Promise<string[]> => {
      const out: string[] = [];
      for await (const frame of decodeFrames(join(folder, name)))
        out.push(createHash('sha256').update(frame.y).digest('hex'));
      return out;
    };
    expect(await pixels('one.mp4')).toEqual(await pixels('two.mp4'));
  });

  it('produces the same frames with threads that have rendered another video and stopped in a third one', async () => {
    const threadCache = createThreadCache();
    const shots = [shot('a', 0, 30, [presenter(), box(10, 10)]), shot('b', 30, 12, [box(60, 60)])];
    // The other video's shots have the same numbers and another picture.
    await renderVideo({ ...job([shot('x', 0, 30, [presenter()], flat(150))], 'other.mp4'), threadCache });
    const abort = new AbortController();
    const long = { ...job([shot('y', 0, 20_000, [presenter()], flat(150))], 'long.mp4'), threadCache };
    const stop = () => abort.abort(new Error('stopped'));
    await expect(renderVideo({ ...long, signal: abort.signal, onProgress: stop })).rejects.toThrow('stopped');
    await renderVideo({ ...job(shots, 'kept.mp4'), threadCache });
    await renderVideo(job(shots, 'fresh.mp4'));
    const [kept, fresh] = await Promise.all(['kept.mp4', 'fresh.mp4'].map((name) => readFile(join(folder, name))));
    expect(kept?.equals(fresh!)).toBe(true);
    await threadCache.close();
  });

  it('reuses cached segments of unchanged shots only', async () => {
    const cache = await openSegmentCache(join(folder, 'kept'), { maxBytes: 50_000_000 });
    const shots = [shot('a', 0, 25, [presenter()]), shot('b', 25, 25, [box(50, 50, false)])];
    await renderVideo({ ...job(shots), cache });
    const again = await renderVideo({ ...job([shots[0]!, { ...shots[1]!, key: 'b2' }], 'b.mp4'), cache });
    // Three GOPs of a presenter are two segments, for two threads; a still is one.
    expect(again.reusedSegments).toBe(2);
    expect(again.segments).toBe(3);
    const third = await renderVideo({ ...job(shots, 'c.mp4'), cache });
    expect(third.reusedSegments).toBe(3);
    expect((await probe(join(folder, 'c.mp4'))).video?.frames).toBe(50);
  });

  it('limits its cache to the configured size', async () => {
    const cache = await openSegmentCache(join(folder, 'kept'), { maxBytes: 40_000 });
    const still = encodeStill(flat(90), 20, settings);
    const big = { ...still, packets: [{ ...still.packets[0]!, data: new Uint8Array(9_000) }], frames: 1 };
    for (let i = 0; i < 12; i++) await cache.put(`key${i}`, big);
    expect((await readdir(join(folder, 'kept'))).length).toBeLessThanOrEqual(5);
    expect(await cache.get('key11')).toBeDefined();
    expect(await cache.get('key0')).toBeUndefined();
  });

  it('stops when aborted, and leaves no files', async () => {
    const abort = new AbortController();
    const shots = [shot('long', 0, 20_000, [presenter()])];
    const rendering = renderVideo({
      ...job(shots),
      signal: abort.signal,
      onProgress: () => abort.abort(new Error('cancelled by its owner')),
    });
    // Whole, it would take minutes.
    await expect(rendering).rejects.toThrow('cancelled by its owner');
    expect(await readdir(folder)).toEqual([]);
  });

  it('names the shot when drawing fails, and leaves no files', async () => {
    const layer: VideoLayer = {
      kind: 'video',
      file: join(folder, 'missing.mp4'),
      x: 0,
      y: 0,
      width: 20,
      height: 20,
      startSeconds: 0,
      loop: false,
      motions: [],
    };
    const failure = await renderVideo(job([shot('good', 0, 10, []), shot('broken', 10, 10, [layer])])).catch(
      (e: unknown) => e,
    );
    expect(failure).toMatchObject({ name: 'RenderError', shotKey: 'broken' });
    expect(failure).toMatchObject({ message: expect.stringContaining('layer 1 (video)') });
    expect(await readdir(folder)).toEqual([]);
  });

  it('fails when a drawing thread dies, instead of waiting for it', async () => {
    // A frame of this size does not fit into the WASM memory, so the thread ends while it starts.
    const size = { width: 2 ** 17, height: 2 ** 17 };
    const huge = { ...shot('huge', 0, 10, []), format: { ...size, fps: 25 as const } };
    const base = { ...flat(60), ...size };
    const drain = async (): Promise<void> => {
      const options = { settings: { ...settings, ...size }, threads: 2 };
      for await (const segment of renderSegments([{ ...huge, base }], options)) expect(segment).toBeUndefined();
    };
    await expect(drain()).rejects.toMatchObject({ name: 'RenderError', shotKey: 'huge' });
  });

  it('limits how far it draws ahead of its consumer', async () => {
    let asked = 0;
    function* endless(): Generator<Shot> {
      for (let index = 0; ; index++) {
        asked++;
        yield shot(`s${index}`, index * 10, 10, []);
      }
    }
    const segments = renderSegments(endless(), { settings, threads: 2 });
    await segments.next();
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
    expect(asked).toBeLessThanOrEqual(6);
    await segments.return(undefined);
  });

  it('releases consumed segments, also while a signal can still stop the render', async () => {
    const { signal } = new AbortController();
    const collect = exposedCollector();
    const taken: WeakRef<object>[] = [];
    const shots = Array.from({ length: 24 }, (_, index) => shot(`s${index}`, index * 10, 10, []));
    let alive = taken.length;
    for await (const { packets } of renderSegments(shots, { settings, threads: 2, signal })) {
      taken.push(new WeakRef(packets));
      if (taken.length < shots.length) continue;
      await new Promise(setImmediate);
      collect();
      alive = taken.filter((packetsOf) => packetsOf.deref() !== undefined).length;
    }
    expect(taken).toHaveLength(24);
    expect(alive).toBeLessThan(12);
  });
});

describe('painting one frame', () => {
  it('returns the frame of the video', async () => {
    const { openFramePainter } = await import('./drawing/frame-painter.js');
    const subject = shot('paint', 0, 30, [presenter(), box(20, 20)]);
    await renderVideo(job([subject]));
    const painter = await openFramePainter();
    const frame = await painter.paint(subject, 12);
    let index = 0;
    for await (const shown of decodeFrames(join(folder, 'a.mp4'))) {
      if (index++ !== 12) continue;
      let error = 0;
      for (let row = 0; row < 180; row++) {
        for (let column = 0; column < 320; column++) {
          error += (shown.y[row * shown.yStride + column]! - frame.y[row * 320 + column]!) ** 2;
        }
      }
      expect(10 * Math.log10((255 * 255 * 320 * 180) / error)).toBeGreaterThan(36);
    }
    await expect(painter.paint(subject, 30)).rejects.toBeInstanceOf(RangeError);
    await painter.close();
    await painter.close();
    await expect(painter.paint(subject, 0)).rejects.toThrow('closed');
  });
});
