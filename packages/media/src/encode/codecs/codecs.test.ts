import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Codec, containerOf } from '@figurehead/contract/document';
import { allocateYuv, type YuvaFrame, type YuvFrame } from '@figurehead/presenter/frame';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { av, avc, needsInput } from '../av.js';
import { openOutput } from '../container/output.js';
import type { EncodedPacket, EncodedSegment, VideoSettings } from '../contract.js';
import { decodeAudio, probe } from '../input/decode.js';
import { openInput } from '../input/input.js';
import { decodeFrames } from '../input/video-reader.js';
import { openAac } from './aac.js';
import { findNvenc } from './nvenc.js';
import { openOpus } from './opus.js';
import { encodeStill, openSegmentEncoder } from './segment-encoder.js';
import { splitAlpha } from './vp9.js';

const [WIDTH, HEIGHT] = [160, 96];
const base = { width: WIDTH, height: HEIGHT, fps: 25, preset: 'veryfast', crf: 21, gopFrames: 20 } as const;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'codecs-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Moving waves and a disc of transparency. */
function frame(index: number): YuvaFrame {
  const out = allocateYuv(WIDTH, HEIGHT);
  const a = new Uint8Array(WIDTH * HEIGHT);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      out.y[y * WIDTH + x] = 125 + 60 * Math.sin((x + 3 * index) / 12) + 30 * Math.sin(y / 9);
      a[y * WIDTH + x] = Math.hypot(x - 80, y - 48) < 30 ? 255 : 0;
    }
  }
  out.u.fill(110);
  out.v.fill(140);
  return { ...out, a };
}

function psnr(a: YuvFrame, b: YuvFrame): number {
  let error = 0;
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) error += (a.y[y * a.yStride + x]! - b.y[y * b.yStride + x]!) ** 2;
  }
  return 10 * Math.log10((255 * 255 * WIDTH * HEIGHT) / error);
}

function moving(settings: VideoSettings, start: number, frames: number): EncodedSegment {
  const encoder = openSegmentEncoder(settings);
  const packets: EncodedPacket[] = [];
  for (let index = 0; index < frames; index++) packets.push(...encoder.encode(frame(start + index)));
  packets.push(...encoder.finish());
  encoder.close();
  return { frames, extradata: encoder.extradata, packets };
}

/** 100 frames: 30 moving ones, 45 of one picture, 25 moving ones encoded with the settings of calm frames. */
async function write(settings: VideoSettings): Promise<string> {
  const { extension, sound } = containerOf(settings.codec);
  const file = join(folder, `video.${extension}`);
  const tone = new Float32Array(4 * 48_000);
  for (let n = 0; n < tone.length; n++) tone[n] = n < 48_000 ? 0 : 0.3 * Math.sin(n / 15);
  const writer = await openOutput(file, {
    ...settings,
    audio: sound === 'opus' ? openOpus(tone) : openAac(tone),
    cues: [{ start: 0.5, end: 1.5, text: 'Hello & welcome', words: [] }],
    chapters: [{ start: 0, end: 4, title: 'Grüße' }],
    language: 'de-AT',
  });
  await writer.write(moving(settings, 0, 30));
  await writer.write(encodeStill(frame(30), 45, settings));
  await writer.write(moving({ ...settings, calm: true }, 31, 25));
  await writer.finish();
  return file;
}

const KINDS = new Map<number, string>([
  [avc.AVMEDIA_TYPE_VIDEO, 'video'],
  [avc.AVMEDIA_TYPE_AUDIO, 'audio'],
  [avc.AVMEDIA_TYPE_SUBTITLE, 'subtitle'],
]);

/** Kinds of the tracks of a file, with their languages. */
async function tracksOf(file: string): Promise<string[]> {
  const input = await openInput(file);
  try {
    return input.streams.map(({ codecpar, metadata }) => {
      const kind = KINDS.get(codecpar.codecType) ?? 'data';
      return `${kind} ${metadata?.get('language')}`;
    });
  } finally {
    await input.closeInput();
  }
}

const CODECS: readonly (readonly [Codec, string, 'aac' | 'opus'])[] = [
  ['h264', 'h264', 'aac'],
  ['h265', 'hevc', 'aac'],
  ['vp9', 'vp9', 'opus'],
  ['av1', 'av1', 'opus'],
];

describe.each(CODECS)('a video in %s', (codec, name, sound) => {
  const settings = { ...base, codec };

  // Proves: D.videos.41
  it('shows exactly the frames that were drawn, joined from segments and stills, with sound, subtitles and chapters', async () => {
    const file = await write(settings);
    const info = await probe(file);
    expect(info.video).toMatchObject({ width: WIDTH, height: HEIGHT, fps: 25 });
    expect(info.video?.codec).toContain(name === 'av1' ? 'av1' : name);
    expect(info.audio?.codec).toContain(sound);
    expect(info.durationSeconds).toBeCloseTo(4, 1);
    let index = 0;
    for await (const shown of decodeFrames(file)) {
      const drawn = index < 30 ? index : index < 75 ? 30 : 31 + index - 75;
      const likeness = psnr(shown, frame(drawn));
      expect(likeness, `frame ${index}`).toBeGreaterThan(28);
      // No other frame is as similar.
      for (const other of [drawn - 1, drawn + 1]) expect(psnr(shown, frame(other))).toBeLessThan(likeness);
      index++;
    }
    expect(index).toBe(100);
    // Matroska takes the bibliographic codes of ISO 639-2.
    const german = sound === 'opus' ? 'ger' : 'deu';
    const tracks = ['video', 'audio', 'subtitle'].map((kind) => `${kind} ${german}`);
    expect(await tracksOf(file)).toEqual(expect.arrayContaining(tracks));
    const pcm = await decodeAudio(file, { maxSeconds: 10 });
    const onset = pcm.findIndex((sample) => Math.abs(sample) > 0.1);
    // The tone starts at one second, with priming removed.
    expect(Math.abs(onset - 48_000)).toBeLessThan(480);
    const bytes = await readFile(file);
    expect(bytes.includes('Hello & welcome')).toBe(true);
    expect(bytes.includes(Buffer.from('Grüße'))).toBe(true);
    expect(await readdir(folder)).toEqual([file.slice(folder.length + 1)]);
  });

  it('can be sought to its keyframes, and every segment starts with one', async () => {
    for (const segment of [moving(settings, 0, 30), encodeStill(frame(1), 45, settings)]) {
      const keys = segment.packets.flatMap((packet) => (packet.keyframe ? [packet.pts] : []));
      expect(keys).toEqual(Array.from({ length: Math.ceil(segment.frames / 20) }, (_, gop) => gop * 20));
      expect(segment.packets.every((packet) => packet.dts <= packet.pts)).toBe(true);
      expect(new Set(segment.packets.map((packet) => packet.pts)).size).toBe(segment.frames);
    }
  });

  it('gives the same bytes for the same frames', () => {
    const bytesOf = ({ packets }: EncodedSegment) => Buffer.concat(packets.map(({ data }) => data)).toString('hex');
    // x264's code for AVX-512 gave others in one of twenty segments of this width.
    const times = codec === 'h264' ? 40 : 2;
    expect(new Set(Array.from({ length: times }, () => bytesOf(moving(settings, 0, 12)))).size).toBe(1);
  });

  it.runIf(process.platform === 'linux')(
    'leaves its process and what this starts without real-time priority',
    async () => {
      const encoder = openSegmentEncoder(settings);
      encoder.encode(frame(0));
      const threads = await readdir('/proc/self/task');
      // One that has ended meanwhile has no file.
      const lines = await Promise.all(
        threads.map((id) => readFile(`/proc/self/task/${id}/stat`, 'utf8').catch(() => '')),
      );
      const policies = lines.filter(Boolean).map(schedulingPolicy);
      encoder.finish();
      encoder.close();
      expect(new Set(policies)).toEqual(new Set(['SCHED_OTHER']));
      expect(schedulingPolicy(execFileSync('cat', ['/proc/self/stat'], { encoding: 'utf8' }))).toBe('SCHED_OTHER');
    },
  );
});

/** Of a line of proc_pid_stat(5): its field 41, after the name in parentheses. */
function schedulingPolicy(stat: string): string {
  const policy = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38];
  return policy === '0' ? 'SCHED_OTHER' : `policy ${policy}`;
}

it('keeps the half steps of a dithered dark gradient behind a presenter', async () => {
  const settings = { ...base, calm: true, codec: 'h264' } as const;
  const picture = frame(0);
  for (let at = 0; at < picture.y.length; at++) picture.y[at] = 40 + ((at + Math.floor(at / WIDTH)) & 1);
  const encoder = openSegmentEncoder(settings);
  const packets = [0, 1, 2].flatMap(() => encoder.encode(picture));
  packets.push(...encoder.finish());
  encoder.close();
  const file = join(folder, 'dithered.mp4');
  const writer = await openOutput(file, {
    ...settings,
    audio: openAac(new Float32Array(5760)),
    cues: [],
    chapters: [],
  });
  await writer.write({ frames: 3, extradata: encoder.extradata, packets });
  await writer.finish();
  for await (const { y, yStride } of decodeFrames(file)) {
    let sum = 0;
    for (let row = 0; row < HEIGHT; row++) for (let x = 0; x < WIDTH; x++) sum += y[row * yStride + x]!;
    expect(sum / (WIDTH * HEIGHT)).toBeCloseTo(40.5, 1);
  }
});

describe('a transparent video', () => {
  const settings = { ...base, codec: 'vp9', alpha: true } as const;

  it('stores transparency with the colours of each frame', async () => {
    const segment = moving(settings, 0, 4);
    const decoded = await decodeVp9(segment.packets.map((packet) => splitAlpha(packet.data).alpha));
    expect(decoded.length).toBe(4);
    const { a } = frame(0);
    for (const alpha of decoded) {
      let worst = 0;
      // Measured away from the disc's edge, where every codec has ringing artefacts.
      for (const [x, y] of [
        [80, 48],
        [5, 5],
        [150, 90],
        [80, 30],
      ] as const) {
        worst = Math.max(worst, Math.abs(alpha.y[y * alpha.stride + x]! - a[y * WIDTH + x]!));
      }
      expect(worst).toBeLessThan(6);
    }
    const file = await write(settings);
    // AlphaMode 1 in the head of the file (53 C0 81 01).
    expect((await readFile(file)).subarray(0, 2000).includes(Buffer.from([0x53, 0xc0, 0x81, 1]))).toBe(true);
  });
});

describe('a graphics card', () => {
  it('is used only if it encodes a picture; otherwise the reason is returned', () => {
    const found = findNvenc();
    // On a machine with such a card this test checks nothing.
    if (!found.found) expect(found.reason.length).toBeGreaterThan(5);
    expect(findNvenc(openSegmentEncoder)).toEqual({ found: true });
    const broken = () => {
      throw new Error('no driver');
    };
    expect(findNvenc(broken)).toEqual({ found: false, reason: 'no driver' });
  });
});

/** The luma of VP9 frames without a container. */
async function decodeVp9(packets: readonly Uint8Array[]): Promise<{ y: Uint8Array; stride: number }[]> {
  const codec = av.Codec.findDecoder(avc.AV_CODEC_ID_VP9);
  const decoder = new av.CodecContext();
  decoder.allocContext3(codec);
  await decoder.open2(codec, null);
  const frames: { y: Uint8Array; stride: number }[] = [];
  const packet = new av.Packet();
  const shown = new av.Frame();
  packet.alloc();
  shown.alloc();
  for (const data of [...packets, null]) {
    if (data !== null) packet.data = Buffer.from(data);
    await decoder.sendPacket(data === null ? null : packet);
    for (let code = await decoder.receiveFrame(shown); code >= 0; code = await decoder.receiveFrame(shown)) {
      frames.push({ y: Uint8Array.from(shown.data?.[0] ?? []), stride: shown.linesize[0] ?? 0 });
      shown.unref();
      if (needsInput(code)) break;
    }
    packet.unref();
  }
  packet.free();
  shown.free();
  decoder.freeContext();
  return frames;
}
