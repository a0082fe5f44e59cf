import { allocateYuv, type YuvFrame } from '@figurehead/presenter/frame';
import { describe, expect, it } from 'vitest';
import { av, avc, checkAv, needsInput } from '../../encode/av.js';
import { LiveVideoEncoder } from './encoders.js';

const SIDE = 256;

const PART = { x: 64, y: 32, width: 96, height: 80 };

/** `to` inside the part, `from` around it. */
function patched(from: YuvFrame, to: YuvFrame): YuvFrame {
  const frame = { ...from, y: from.y.slice(), u: from.u.slice(), v: from.v.slice() };
  for (let y = PART.y; y < PART.y + PART.height; y++) {
    for (let x = PART.x; x < PART.x + PART.width; x++) {
      const [luma, chroma] = [y * SIDE + x, (y >> 1) * (SIDE / 2) + (x >> 1)];
      frame.y[luma] = to.y[luma]!;
      frame.u[chroma] = to.u[chroma]!;
      frame.v[chroma] = to.v[chroma]!;
    }
  }
  return frame;
}

/** Moving noise, which uses all the bits that an encoder may spend. */
function noise(index: number): YuvFrame {
  const frame = allocateYuv(SIDE, SIDE);
  let seed = 1 + index;
  for (let at = 0; at < frame.y.length; at++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) | 0;
    frame.y[at] = 100 + ((seed >>> 16) % 40);
  }
  frame.u.fill(128);
  frame.v.fill(128);
  return frame;
}

describe('the H.264 encoder of a stream', () => {
  it('uses rate control only while the connection is narrow, and changes its mode with a keyframe', async () => {
    const encoder = new LiveVideoEncoder({
      codec: 'H264',
      width: SIDE,
      height: SIDE,
      framesPerSecond: 25,
      bitRate: 50_000_000,
    });
    const run = async (count: number) => {
      const frames = [];
      for (let n = 0; n < count; n++) frames.push((await encoder.encode(noise(n), { keyframe: false }))!);
      const bits = frames.slice(1).reduce((sum, { data }) => sum + 8 * data.length, 0);
      return { keyframes: frames.filter(({ keyframe }) => keyframe).length, bitsPerSecond: (25 * bits) / (count - 1) };
    };
    const wide = await run(30);
    expect(wide.keyframes).toBe(1);
    expect(wide.bitsPerSecond).toBeGreaterThan(2_000_000);
    encoder.setBitRate(400_000);
    const narrow = await run(30);
    expect(narrow.keyframes).toBe(1);
    expect(narrow.bitsPerSecond).toBeLessThan(600_000);
    // A further reduction is applied to the open encoder.
    encoder.setBitRate(200_000);
    await run(20);
    const narrower = await run(20);
    expect(narrower.keyframes).toBe(0);
    expect(narrower.bitsPerSecond).toBeLessThan(320_000);
    encoder.close();
  });
});

describe('an encoder that is given a part of a picture', () => {
  for (const codec of ['H264', 'VP8'] as const) {
    it(`compresses it in ${codec} as if it had received the whole picture`, async () => {
      const settings = { codec, width: SIDE, height: SIDE, framesPerSecond: 25, bitRate: 2_000_000 };
      const [whole, parts] = [new LiveVideoEncoder(settings), new LiveVideoEncoder(settings)];
      let shown = noise(0);
      const first = [await whole.encode(shown, { keyframe: true }), await parts.encode(shown, { keyframe: true })];
      expect(first[1]).toEqual(first[0]);
      for (let n = 1; n < 5; n++) {
        const next = noise(n);
        next.u.fill(100 + n);
        shown = patched(shown, next);
        const expected = await whole.encode(shown, { keyframe: false });
        expect(await parts.encode(next, { keyframe: false, part: PART })).toEqual(expected);
      }
      whole.close();
      parts.close();
    });
  }
});

/** Waves that move in each picture: few bits, and a block of another picture has an error of hundreds. */
function waves(index: number): YuvFrame {
  const frame = allocateYuv(SIDE, SIDE);
  for (let at = 0; at < frame.y.length; at++) {
    const [row, column] = [Math.floor(at / SIDE), at % SIDE];
    frame.y[at] = 120 + 60 * Math.sin((column + 17 * index) / 9) * Math.cos((row - 11 * index) / 11);
  }
  frame.u.fill(128);
  frame.v.fill(128);
  return frame;
}

/** Decodes consecutive pictures; returns the greatest mean squared error of a 16×16 luma block against the expected picture. */
class Witness {
  private readonly context = new av.CodecContext();
  private readonly packet = new av.Packet();
  private readonly frame = new av.Frame();

  constructor() {
    const codec = av.Codec.findDecoder(avc.AV_CODEC_ID_H264);
    if (!codec) throw new Error('this build of FFmpeg does not decode H.264');
    this.context.allocContext3(codec);
    checkAv(this.context.open2Sync(codec, null), 'opening the decoder');
    this.packet.alloc();
    this.frame.alloc();
  }

  worst(data: Uint8Array, { y }: YuvFrame): number {
    this.packet.data = Buffer.from(data);
    checkAv(this.context.sendPacketSync(this.packet), 'decoding');
    const code = this.context.receiveFrameSync(this.frame);
    if (needsInput(code)) throw new Error('the decoder did not return a picture');
    checkAv(code, 'decoding');
    const shown = this.frame.data![0]!;
    const stride = this.frame.linesize[0]!;
    const errors = new Float64Array((SIDE / 16) ** 2);
    for (let at = 0; at < y.length; at++) {
      const [row, column] = [Math.floor(at / SIDE), at % SIDE];
      errors[(row >> 4) * (SIDE / 16) + (column >> 4)]! += (shown[row * stride + column]! - y[at]!) ** 2 / 256;
    }
    this.frame.unref();
    return Math.max(...errors);
  }

  close(): void {
    this.packet.free();
    this.frame.free();
    this.context.freeContext();
  }
}

describe('an H.264 encoder that receives the changed area', () => {
  it('leaves no stale blocks after partial, whole, empty and repeated changes, keyframes and a mode change', async () => {
    const encoder = new LiveVideoEncoder({
      codec: 'H264',
      width: SIDE,
      height: SIDE,
      framesPerSecond: 25,
      bitRate: 9e6,
    });
    const witness = new Witness();
    const keyframes: number[] = [];
    let shown = waves(0);
    for (let n = 0; n < 24; n++) {
      if (n === 8) encoder.setBitRate(80_000);
      if (n === 16) encoder.setBitRate(9e6);
      // Every sixth picture is completely different; the others change in part or not at all.
      const how = n % 6 === 0 ? 'whole' : n % 3 === 0 ? 'none' : 'part';
      if (how !== 'none') shown = how === 'whole' ? waves(n) : patched(shown, waves(n));
      const part = { whole: undefined, none: { x: 0, y: 0, width: 0, height: 0 }, part: PART }[how];
      const { data, keyframe } = (await encoder.encode(shown, { keyframe: n === 0 || n === 5, part }))!;
      if (keyframe) keyframes.push(n);
      const isNarrow = n >= 8 && n < 16;
      // With rate control, an encoder may still refine earlier blocks.
      if (how === 'none' && !isNarrow) expect(data.length).toBeLessThan(40);
      expect(witness.worst(data, shown), `picture ${n}`).toBeLessThan(isNarrow ? 60 : 15);
    }
    // On request, and with each change of mode.
    expect(keyframes).toEqual([0, 5, 8, 16]);
    witness.close();
    encoder.close();
  });
});
