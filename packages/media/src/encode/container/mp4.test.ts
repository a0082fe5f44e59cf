import { type FileHandle, mkdtemp, open as openFile, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allocateYuv, type YuvFrame } from '@figurehead/presenter/frame';
import { SAMPLE_RATE, samplesPerFrame } from '@figurehead/presenter/time';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { avc } from '../av.js';
import { openAac } from '../codecs/aac.js';
import { encodeStill, openSegmentEncoder } from '../codecs/segment-encoder.js';
import type { EncodedSegment, VideoSettings } from '../contract.js';
import { decodeAudio, probe } from '../input/decode.js';
import { openInput } from '../input/input.js';
import { decodeFrames, openVideo } from '../input/video-reader.js';
import { openMp4 } from './mp4.js';
import { OutputError } from './output-file.js';

const settings: VideoSettings = { width: 256, height: 144, fps: 25, preset: 'veryfast', crf: 20, gopFrames: 10 };

/** A gradient with a bright square that moves 4 px per frame. */
function scene(index: number, width = settings.width, height = settings.height): YuvFrame {
  const frame = allocateYuv(width, height);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const inside = row >= 40 && row < 80 && column >= index * 4 && column < index * 4 + 40;
      frame.y[row * width + column] = inside ? 220 : 40 + ((row + column) >> 2);
    }
  }
  frame.u.fill(110);
  frame.v.fill(150);
  return frame;
}

function segment(from: number, frames: number, picture = scene, with_: VideoSettings = settings): EncodedSegment {
  const encoder = openSegmentEncoder(with_);
  try {
    const packets = [];
    for (let i = 0; i < frames; i++) packets.push(...encoder.encode(picture(from + i)));
    packets.push(...encoder.finish());
    return { frames, extradata: encoder.extradata, packets };
  } finally {
    encoder.close();
  }
}

function psnr(a: Uint8Array, aStride: number, b: Uint8Array, bStride: number, width: number, height: number): number {
  let sum = 0;
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      sum += (a[row * aStride + column]! - b[row * bStride + column]!) ** 2;
    }
  }
  return 10 * Math.log10((255 * 255 * width * height) / Math.max(1e-9, sum));
}

/** Silence with one click at `at` samples. */
function click(samples: number, at: number): Float32Array {
  const pcm = new Float32Array(samples);
  for (let i = 0; i < 480; i++) pcm[at + i] = 0.8 * Math.sin((2 * Math.PI * 1000 * i) / SAMPLE_RATE);
  return pcm;
}

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mp4-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function boxes(file: string): Promise<string[]> {
  const bytes = await readFile(file);
  const names: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    names.push(bytes.toString('latin1', at + 4, at + 8));
    at += size === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : size;
  }
  return names;
}

describe('an MP4 file', () => {
  it('holds exactly the frames that were drawn, joined from segments and stills, index first and tagged BT.709', async () => {
    const file = join(folder, 'a.mp4');
    const writer = await openMp4(file, { ...settings, audio: openAac(new Float32Array(48 * samplesPerFrame(25))) });
    await writer.write(segment(0, 20));
    await writer.write(segment(20, 7));
    await writer.write(encodeStill(scene(27), 20, settings));
    await writer.write(segment(28, 1));
    await writer.finish();
    expect(await boxes(file)).toEqual(['ftyp', 'moov', 'mdat']);
    expect(await readdir(folder)).toEqual(['a.mp4']);

    const info = await probe(file);
    expect(info.video).toMatchObject({ codec: 'h264', width: 256, height: 144, fps: 25, frames: 48 });
    expect(info.video?.durationSeconds).toBeCloseTo(48 / 25, 6);
    expect(info.audio).toMatchObject({ codec: 'aac', channels: 1, sampleRate: SAMPLE_RATE });
    const input = await openInput(file);
    const parameters = input.streams[0]!.codecpar;
    expect([parameters.profile, parameters.colorSpace, parameters.colorPrimaries, parameters.colorTrc]).toEqual([
      avc.AV_PROFILE_H264_HIGH,
      avc.AVCOL_SPC_BT709,
      avc.AVCOL_PRI_BT709,
      avc.AVCOL_TRC_BT709,
    ]);
    expect(parameters.colorRange).toBe(avc.AVCOL_RANGE_MPEG);
    expect(input.streams[0]!.startTime).toBe(0n);
    await input.closeInput();

    let index = 0;
    for await (const frame of decodeFrames(file)) {
      const drawn = scene(index < 27 ? index : index < 47 ? 27 : 28);
      expect(psnr(frame.y, frame.yStride, drawn.y, drawn.yStride, 256, 144), `frame ${index}`).toBeGreaterThan(36);
      expect(psnr(frame.u, frame.uvStride, drawn.u, drawn.uvStride, 128, 72)).toBeGreaterThan(40);
      index++;
    }
    expect(index).toBe(48);
  });

  it('shows a still without changes between frames, at a fraction of the cost', async () => {
    const file = join(folder, 'still.mp4');
    const writer = await openMp4(file, settings);
    const still = encodeStill(scene(3), 95, { ...settings, gopFrames: 50 });
    await writer.write(still);
    await writer.finish();
    expect(still.packets.filter((packet) => packet.keyframe)).toHaveLength(2);
    expect(Math.max(...still.packets.filter((packet) => !packet.keyframe).map((p) => p.data.length))).toBeLessThan(40);
    let first: Buffer | undefined;
    let count = 0;
    for await (const frame of decodeFrames(file)) {
      const pixels = Buffer.concat([frame.y, frame.u, frame.v]);
      first ??= Buffer.from(pixels);
      expect(pixels.equals(first)).toBe(true);
      count++;
    }
    expect(count).toBe(95);
  });

  it('keeps sound and picture within a frame of each other', async () => {
    const file = join(folder, 'sync.mp4');
    const total = 100 * samplesPerFrame(25);
    const at = 60 * samplesPerFrame(25);
    const writer = await openMp4(file, { ...settings, audio: openAac(click(total, at)) });
    for (let i = 0; i < 100; i += 10) await writer.write(encodeStill(scene(0), 10, settings));
    await writer.finish();
    const heard = await decodeAudio(file, { maxSeconds: 10 });
    const onset = heard.findIndex((sample) => Math.abs(sample) > 0.2);
    expect(Math.abs(onset - at)).toBeLessThan(0.01 * SAMPLE_RATE);
    expect(Math.abs(heard.length - total)).toBeLessThan(samplesPerFrame(25));
  });

  it('contains subtitles and chapters that other programs read', async () => {
    const file = join(folder, 'text.mp4');
    const writer = await openMp4(file, {
      ...settings,
      cues: [
        { start: 0.2, end: 1.2, text: 'Grüße', words: [] },
        { start: 1.2, end: 1.8, text: 'zwei', words: [] },
      ],
      chapters: [
        { start: 0, end: 1, title: 'Erstes' },
        { start: 1, end: 2, title: 'Zweites' },
      ],
    });
    await writer.write(encodeStill(scene(0), 50, settings));
    await writer.finish();
    const input = await openInput(file);
    const packet = new (await import('../av.js')).av.Packet();
    packet.alloc();
    const texts: string[] = [];
    const subtitle = input.streams.find((stream) => stream.codecpar.codecType === avc.AVMEDIA_TYPE_SUBTITLE)!;
    while ((await input.readFrame(packet)) >= 0) {
      if (packet.streamIndex === subtitle.index) texts.push(packet.data!.subarray(2).toString('utf8'));
      packet.unref();
    }
    packet.free();
    await input.closeInput();
    expect(texts).toEqual(['', 'Grüße', 'zwei', '']);
  });

  it('is the same file for the same input', async () => {
    const write = async (name: string): Promise<Buffer> => {
      const writer = await openMp4(join(folder, name), { ...settings, audio: openAac(click(48_000, 9_000)) });
      await writer.write(segment(0, 20));
      await writer.finish();
      return readFile(join(folder, name));
    };
    expect((await write('one.mp4')).equals(await write('two.mp4'))).toBe(true);
  });

  it('reports a full disk and leaves no files', async () => {
    // Every write to /dev/full fails with ENOSPC, as on a full disk.
    const writer = await openMp4(join(folder, 'full.mp4'), settings);
    const full = await openFile('/dev/full', 'w');
    const { file } = writer as unknown as { file: { spool: FileHandle } };
    await file.spool.close();
    Object.defineProperty(file, 'spool', { value: full });
    const failure = await writer.write(segment(0, 10)).catch((error: unknown) => error);
    await writer.discard();
    expect(failure).toBeInstanceOf(OutputError);
    expect(failure).toMatchObject({ code: 'disk_full' });
    expect(await readdir(folder)).toEqual([]);
  });

  it('can be sought, and shows the last picture after the end', async () => {
    const file = join(folder, 'seek.mp4');
    const writer = await openMp4(file, settings);
    await writer.write(segment(0, 40));
    await writer.finish();
    const reader = await openVideo(file);
    const at = async (seconds: number, index: number): Promise<void> => {
      const frame = await reader.frameAt(seconds);
      expect(psnr(frame.y, frame.yStride, scene(index).y, 256, 256, 144), `at ${seconds}`).toBeGreaterThan(34);
    };
    await at(0, 0);
    await at(0.5, 12);
    await at(1.2, 30);
    await at(0.2, 5);
    await at(99, 39);
    await at(0, 0);
    await reader.close();
  });
});
