import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allocateYuv } from '@figurehead/presenter/frame';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AAC, openAac } from '../codecs/aac.js';
import { encodeStill } from '../codecs/segment-encoder.js';
import { openMp4 } from '../container/mp4.js';
import { formatSrt, formatVtt } from '../container/subtitles.js';
import type { EncodedPacket, SoundStream, VideoSettings } from '../contract.js';
import { openSoundStream } from '../sound/sound.js';
import { decodeAudio, probe } from './decode.js';
import { MediaError } from './media-error.js';
import { encodePicture, yuvToRgba } from './picture.js';
import { decodeFrames, openVideo } from './video-reader.js';

const settings: VideoSettings = { width: 128, height: 72, fps: 25, preset: 'veryfast', crf: 18, gopFrames: 25 };

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'decode-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function grey(luma: number, width = 128, height = 72) {
  const frame = allocateYuv(width, height);
  frame.y.fill(luma);
  frame.u.fill(128);
  frame.v.fill(128);
  return frame;
}

function tone(samples: number): Float32Array {
  return Float32Array.from({ length: samples }, (_, i) => 0.4 * Math.sin((2 * Math.PI * 440 * i) / SAMPLE_RATE));
}

async function video(name: string, audio?: Float32Array): Promise<string> {
  const file = join(folder, name);
  const writer = await openMp4(file, { ...settings, ...(audio && { audio: openAac(audio) }) });
  await writer.write(encodeStill(grey(90), 50, settings));
  await writer.finish();
  return file;
}

/** A 16-bit WAV file at 44.1 kHz: a tone at a volume for each channel. */
function wav(seconds: number, volumes: readonly number[] = [1, 0]): Buffer {
  const frames = Math.round(seconds * 44_100);
  const step = 2 * volumes.length;
  const out = Buffer.alloc(44 + frames * step);
  out.write('RIFF', 0);
  out.writeUInt32LE(36 + frames * step, 4);
  out.write('WAVEfmt ', 8);
  out.writeUInt32LE(16, 16);
  out.writeUInt16LE(1, 20);
  out.writeUInt16LE(volumes.length, 22);
  out.writeUInt32LE(44_100, 24);
  out.writeUInt32LE(44_100 * step, 28);
  out.writeUInt16LE(step, 32);
  out.writeUInt16LE(16, 34);
  out.write('data', 36);
  out.writeUInt32LE(frames * step, 40);
  for (let i = 0; i < frames; i++) {
    const sample = 16_000 * Math.sin((2 * Math.PI * 440 * i) / 44_100);
    for (const [channel, volume] of volumes.entries())
      out.writeInt16LE(Math.round(volume * sample), 44 + i * step + 2 * channel);
  }
  return out;
}

const peakOf = (sound: Float32Array) => sound.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

describe('decoding sound', () => {
  it('returns what was encoded, with the same timing and level', async () => {
    const sound = tone(2 * SAMPLE_RATE);
    const heard = await decodeAudio(await video('tone.mp4', sound), { maxSeconds: 60 });
    expect(Math.abs(heard.length - sound.length)).toBeLessThan(2048);
    let error = 0;
    let power = 0;
    for (let i = 4_000; i < 90_000; i++) {
      error += (heard[i]! - sound[i]!) ** 2;
      power += sound[i]! ** 2;
    }
    expect(10 * Math.log10(power / error)).toBeGreaterThan(20);
  });

  it('encodes sound in pieces like a whole', async () => {
    const sound = tone(SAMPLE_RATE);
    const collect = async (audio: Parameters<typeof openAac>[0]): Promise<Buffer> => {
      const parts: Uint8Array[] = [];
      for await (const packets of openAac(audio).packets) parts.push(...packets.map((packet) => packet.data));
      return Buffer.concat(parts);
    };
    async function* pieces() {
      for (let at = 0; at < sound.length; at += 777) yield sound.subarray(at, at + 777);
    }
    expect((await collect(pieces())).equals(await collect(sound))).toBe(true);
  });

  it('joins separately encoded pieces without a seam, and re-encodes only what has changed', async () => {
    // A chord with a knock every half second, which needs short windows, across the seam at 21.8 s.
    const sound = tone(24 * SAMPLE_RATE).map((value, n) => {
      const since = (n % (SAMPLE_RATE / 2)) / SAMPLE_RATE;
      return value / 2 + 0.5 * Math.exp(-since * 60) * Math.sin(2 * Math.PI * 2500 * since);
    });
    const kept = new Map<string, Buffer>();
    const taken: string[] = [];
    const store = {
      get: async (key: string) => {
        if (kept.has(key)) taken.push(key);
        return kept.get(key);
      },
      put: async (key: string, bytes: Buffer) => {
        kept.set(key, bytes);
      },
    };
    const collect = async ({ packets }: SoundStream): Promise<EncodedPacket[]> => {
      const all: EncodedPacket[] = [];
      for await (const run of packets) all.push(...run.map((each) => ({ ...each, data: Uint8Array.from(each.data) })));
      return all;
    };
    const pieces = await collect(openAac(sound, { kept: store }));
    const whole = await collect(openSoundStream(AAC, sound, {}));
    expect(pieces.map(({ pts }) => pts)).toEqual(whole.map(({ pts }) => pts));
    // ISO/IEC 14496-3 table 4.4.6, in the first channel element: its kind and tag, the gain, a reserved bit, then
    // window sequence and shape.
    const windowOf = ({ data }: EncodedPacket): number => (data[2]! >> 5) & 7;
    const windows = pieces.map(windowOf);
    expect(new Set(windows).size).toBeGreaterThan(3);
    expect(windows).toEqual(whole.map(windowOf));

    expect(kept.size).toBe(2);
    expect(await collect(openAac(sound, { kept: store }))).toEqual(pieces);
    expect(taken).toEqual([...kept.keys()]);
    const changed = sound.map((value, n) => (n > 23 * SAMPLE_RATE ? value / 2 : value));
    const again = await collect(openAac(changed, { kept: store }));
    expect(kept.size).toBe(3);
    expect(again.slice(0, 1024)).toEqual(pieces.slice(0, 1024));
    expect(again.at(-1)).not.toEqual(pieces.at(-1));
  });

  it('mixes down and resamples, and stops at the given length', async () => {
    const file = join(folder, 'a.wav');
    await writeFile(file, wav(3));
    const whole = await decodeAudio(file, { maxSeconds: 60 });
    expect(Math.abs(whole.length - 3 * SAMPLE_RATE)).toBeLessThan(64);
    const peak = peakOf(whole);
    expect(peak).toBeGreaterThan(0.2);
    expect(peak).toBeLessThan(0.36);
    expect(await decodeAudio(file, { maxSeconds: 1 })).toHaveLength(SAMPLE_RATE);
    await expect(decodeAudio(file, { maxSeconds: 1, signal: AbortSignal.abort(new Error('no more')) })).rejects.toThrow(
      'no more',
    );
  });

  it('is not silent where the two channels are in opposite phase', async () => {
    const file = join(folder, 'a.wav');
    const heard: Float32Array[] = [];
    for (const volumes of [
      [1, 1],
      [1, -1],
      [1, -0.9],
      [0.5, 1],
    ]) {
      await writeFile(file, wav(2, volumes));
      heard.push(await decodeAudio(file, { maxSeconds: 60 }));
    }
    const [same, opposite, nearly, louder] = heard.map(peakOf);
    expect(opposite).toBeCloseTo(same ?? 0, 3);
    expect(nearly).toBeCloseTo(0.95 * (same ?? 0), 2);
    expect(louder).toBeCloseTo(0.75 * (same ?? 0), 2);
    expect(heard[1]).toHaveLength(heard[0]?.length ?? 0);
  });

  it('is heard from any channel, and refused with a reason where there are too many', async () => {
    const file = join(folder, 'a.wav');
    for (const channels of [4, 5, 6, 8]) {
      await writeFile(
        file,
        wav(
          1,
          Array.from({ length: channels }, (_, channel) => (channel === 2 ? 1 : 0.1)),
        ),
      );
      expect(peakOf(await decodeAudio(file, { maxSeconds: 60 })), `${channels} channels`).toBeGreaterThan(0.1);
    }
    await writeFile(
      file,
      wav(
        1,
        Array.from({ length: 9 }, () => 1),
      ),
    );
    await expect(decodeAudio(file, { maxSeconds: 60 })).rejects.toBeInstanceOf(MediaError);
  });

  it('refuses a file without sound', async () => {
    await expect(decodeAudio(await video('silent.mp4'), { maxSeconds: 5 })).rejects.toBeInstanceOf(MediaError);
  });
});

describe('malformed and malicious files', () => {
  it('are refused with a MediaError', async () => {
    const good = await readFile(await video('good.mp4'));
    const liars = {
      'empty.mp4': Buffer.alloc(0),
      'text.mp4': Buffer.from('not a video at all'.repeat(100)),
      'head.mp4': good.subarray(0, 60),
      'list.m3u8': Buffer.from(
        `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${join(folder, 'good.mp4')}\n#EXT-X-ENDLIST\n`,
      ),
      'list.mp4': Buffer.from(`ffconcat version 1.0\nfile '${join(folder, 'good.mp4')}'\n`),
    };
    for (const [name, bytes] of Object.entries(liars)) {
      const file = join(folder, name);
      await writeFile(file, bytes);
      await expect(probe(file), name).rejects.toBeInstanceOf(MediaError);
      await expect(openVideo(file), name).rejects.toBeInstanceOf(MediaError);
    }
    await expect(probe(join(folder, 'missing.mp4'))).rejects.toBeInstanceOf(MediaError);
  });

  it('are shown up to the damage when they are truncated', async () => {
    const good = await readFile(await video('good.mp4'));
    const file = join(folder, 'cut.mp4');
    await writeFile(file, good.subarray(0, good.length - 300));
    let frames = 0;
    for await (const frame of decodeFrames(file)) frames += frame.width > 0 ? 1 : 0;
    expect(frames).toBeGreaterThan(5);
    expect(frames).toBeLessThanOrEqual(50);
  });
});

const film = (name: string) => fileURLToPath(new URL(`../../../../../tests/fixtures/films/${name}`, import.meta.url));

describe('tracks that start at different times', () => {
  it.each([
    ['picture-starts-late.mp4', 2, 4],
    ['sound-starts-late.webm', 1.5, 3],
  ])('flash and beep together in %s', async (name, at, seconds) => {
    const sound = await decodeAudio(film(name), { maxSeconds: 9 });
    expect(sound.length / SAMPLE_RATE).toBeCloseTo(seconds, 1);
    expect(sound.findIndex((sample) => Math.abs(sample) > 0.1) / SAMPLE_RATE).toBeCloseTo(at, 1);
    const reader = await openVideo(film(name));
    expect(reader.durationSeconds).toBeCloseTo(seconds, 1);
    const isBright = async (second: number) => ((await reader.frameAt(second)).y[0] ?? 0) > 150;
    expect([await isBright(at - 0.1), await isBright(at + 0.04)]).toEqual([false, true]);
    // Before the first picture that one is shown.
    expect(await isBright(0)).toBe(false);
    await reader.close();
  });
});

describe('films of cameras, phones and recorders', () => {
  /** The moment at which a film flashes and beeps, and its length, seconds. */
  async function momentsOf(name: string) {
    const sound = await decodeAudio(film(name), { maxSeconds: 20 });
    const reader = await openVideo(film(name));
    let flash = 0;
    while (flash < 5 && ((await reader.frameAt(flash)).y[0] ?? 0) < 200) flash += 0.04;
    await reader.close();
    return {
      flash,
      beep: sound.findIndex((sample) => Math.abs(sample) > 0.2) / SAMPLE_RATE,
      seconds: [reader.durationSeconds, sound.length / SAMPLE_RATE],
    };
  }

  it.each(['interlaced.mp4', 'pause-in-sound.webm', 'clock-from-ten.mkv', 'cover-first.mp4', 'mirrored.mp4'])(
    'flash and beep together after a second in %s, which has two',
    async (name) => {
      const { flash, beep, seconds } = await momentsOf(name);
      expect(flash).toBeCloseTo(1, 1);
      expect(beep).toBeCloseTo(1, 1);
      for (const length of seconds) expect(length).toBeCloseTo(2, 1);
    },
  );

  it.each([
    ['interlaced.mp4', ['bright', 'grey', 'dark', 'grey']],
    ['mirrored.mp4', ['grey', 'bright', 'grey', 'dark']],
    ['mirrored-turned.mp4', ['grey', 'grey', 'dark', 'bright']],
  ])('are upright: the corners of %s', async (name, corners) => {
    const reader = await openVideo(film(name));
    const { y, yStride, width, height } = await reader.frameAt(0.1);
    const at = (right: number, down: number) => {
      const luma = y[(2 + down * (height - 5)) * yStride + 2 + right * (width - 5)] ?? 0;
      return luma > 110 ? 'bright' : luma < 50 ? 'dark' : 'grey';
    };
    expect([at(0, 0), at(1, 0), at(0, 1), at(1, 1)]).toEqual(corners);
    await reader.close();
  });

  it('have no combs where something moves between the two fields of a picture', async () => {
    const reader = await openVideo(film('moving-fields.mpg'));
    for (const seconds of [0.4, 0.8, 0.2]) {
      const { y, yStride, width, height } = await reader.frameAt(seconds);
      let combed = 0;
      for (let row = 2; row < height - 2; row++) {
        for (let column = 0; column < width; column++) {
          const [above = 0, at = 0, below = 0] = [-1, 0, 1].map((step) => y[(row + step) * yStride + column] ?? 0);
          if ((at - above) * (at - below) > 2000) combed++;
        }
      }
      expect(combed).toBe(0);
    }
    await reader.close();
  });

  it('keep their transparency when they are turned', async () => {
    const reader = await openVideo(film('alpha-turned.mov'), { alpha: 'where present' });
    const frame = await reader.frameAt(0);
    if (!('a' in frame)) throw new Error('the film is opaque');
    // Its left half is transparent, and a quarter turn to the left brings that down.
    expect([frame.a[0], frame.a[15 * frame.yStride + 8]]).toEqual([255, 0]);
    await reader.close();
  });

  it('are not made of the picture on the cover of a song', async () => {
    const { video, audio } = await probe(film('song-with-cover.m4a'));
    expect([video, audio?.codec]).toEqual([undefined, 'aac']);
    await expect(openVideo(film('song-with-cover.m4a'))).rejects.toBeInstanceOf(MediaError);
  });
});

describe('decoded pictures', () => {
  it('have their transparency where the file has it, also beside VP8', async () => {
    const seeThrough = await openVideo(film('vp8-alpha.webm'), { alpha: 'where present' });
    const frame = await seeThrough.frameAt(0.2);
    expect('a' in frame && frame.a[0]).toBe(0);
    await seeThrough.close();
    expect((await probe(film('vp8-alpha.webm'))).video?.alpha).toBe(true);
    const solid = await openVideo(film('sound-starts-late.webm'), { alpha: 'where present' });
    expect('a' in (await solid.frameAt(0))).toBe(false);
    await solid.close();
  });

  it('have the requested size and colours', async () => {
    const reader = await openVideo(await video('a.mp4'), { width: 64, height: 50 });
    const frame = await reader.frameAt(0.3);
    expect([frame.width, frame.height]).toEqual([64, 50]);
    expect(Math.abs(frame.y[30 * frame.yStride + 20]! - 90)).toBeLessThanOrEqual(2);
    expect(Math.abs(frame.u[10 * frame.uvStride + 20]! - 128)).toBeLessThanOrEqual(1);
    await reader.close();
    await reader.close();
  });

  it('become RGB by BT.709 limited range', async () => {
    // Limited-range BT.709 of pure sRGB red, and of black and white.
    const frame = allocateYuv(4, 2);
    frame.y.set([63, 63, 16, 235, 63, 63, 16, 235]);
    frame.u.set([102, 128]);
    frame.v.set([240, 128]);
    const { data } = yuvToRgba(frame);
    expect(data[0]).toBeGreaterThan(250);
    expect(data[1]).toBeLessThan(6);
    expect(data[2]).toBeLessThan(6);
    expect([...data.subarray(8, 11)]).toEqual([0, 0, 0]);
    expect([...data.subarray(12, 15)]).toEqual([255, 255, 255]);
    const jpeg = await encodePicture(grey(126, 1280, 720), 'jpeg');
    expect(await sharp(jpeg).metadata()).toMatchObject({ format: 'jpeg', width: 640, height: 360 });
    const { data: pixels } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
    expect(Math.abs(pixels[0]! - 128)).toBeLessThanOrEqual(1);
  });
});

describe('subtitles', () => {
  const cues = [
    { start: 0, end: 59.9996, text: 'One < two & three\n\nfour', words: [] },
    { start: 3661.5, end: 3662, text: 'late', words: [] },
  ];
  it('are valid WebVTT', () => {
    expect(formatVtt(cues)).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:01:00.000\nOne &lt; two &amp; three\nfour\n\n01:01:01.500 --> 01:01:02.000\nlate\n',
    );
  });
  it('are valid SubRip', () => {
    expect(formatSrt(cues)).toBe(
      '1\n00:00:00,000 --> 00:01:00,000\nOne < two & three\nfour\n\n2\n01:01:01,500 --> 01:01:02,000\nlate\n',
    );
  });
});

/** Sets the matrix of a file's first track like a phone that was held upright (14496-12 clause 8.3.2). */
async function turn(file: string, [a, b, c, d]: readonly [number, number, number, number]): Promise<void> {
  const bytes = await readFile(file);
  // Box type, version and flags, times, id, reserved, duration, reserved, layer, group, volume, reserved: then the matrix.
  const at = bytes.indexOf('tkhd') + 4 + 4 + 8 + 4 + 4 + 4 + 8 + 8;
  for (const [index, value] of [a, b, 0, c, d].entries()) bytes.writeInt32BE(value * 0x10000, at + index * 4);
  await writeFile(file, bytes);
}

describe('a clip from a phone', () => {
  it.each([
    ['a quarter to the right', [0, 1, -1, 0], [72, 128], [36, 10], [36, 118]],
    ['upside down', [-1, 0, 0, -1], [128, 72], [118, 36], [10, 36]],
    ['a quarter to the left', [0, -1, 1, 0], [72, 128], [36, 118], [36, 10]],
  ] as const)('is rotated by its metadata: %s', async (_how, matrix, [width, height], bright, dark) => {
    const file = join(folder, 'phone.mp4');
    const writer = await openMp4(file, settings);
    const frame = grey(40);
    // Bright on the left as stored.
    for (let row = 0; row < 72; row++) frame.y.fill(200, row * 128, row * 128 + 64);
    await writer.write(encodeStill(frame, 10, settings));
    await writer.finish();
    await turn(file, matrix);
    expect((await probe(file)).video).toMatchObject({ width, height });
    const reader = await openVideo(file);
    const shown = await reader.frameAt(0.1);
    expect([shown.width, shown.height]).toEqual([width, height]);
    const lumaAt = ([x, y]: readonly [number, number]) => shown.y[y * shown.yStride + x]!;
    expect(lumaAt(bright)).toBeGreaterThan(180);
    expect(lumaAt(dark)).toBeLessThan(60);
    await reader.close();
  });
});
