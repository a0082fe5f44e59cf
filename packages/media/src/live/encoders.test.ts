import { describe, expect, it } from 'vitest';
import { allocateYuv, type YuvFrame } from '../frame.js';
import { openVideoEncoder } from './encoders.js';

const SIDE = 256;

/** A picture of noise that moves: it takes all the bits that an encoder is given. */
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
  it('steers its rate only while the connection is narrow, and changes its manner with a keyframe', async () => {
    const encoder = openVideoEncoder({
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
    // Lower still is told to the open encoder.
    encoder.setBitRate(200_000);
    await run(20);
    const narrower = await run(20);
    expect(narrower.keyframes).toBe(0);
    expect(narrower.bitsPerSecond).toBeLessThan(320_000);
    encoder.close();
  });
});
