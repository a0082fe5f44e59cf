import { describe, expect, it } from 'vitest';
import { rgbaToYuv, rgbaToYuva } from './colour.js';

const fill = (pixels: number[][], width: number): { width: number; height: number; data: Uint8Array } => ({
  width,
  height: pixels.length / width,
  data: Uint8Array.from(pixels.flat()),
});
const plain = (pixel: number[]): { width: number; height: number; data: Uint8Array } =>
  fill([pixel, pixel, pixel, pixel], 2);

describe('rgbaToYuv', () => {
  it.each([
    ['black', [0, 0, 0, 255], [16, 128, 128]],
    ['white', [255, 255, 255, 255], [235, 128, 128]],
    ['red', [255, 0, 0, 255], [63, 102, 240]],
    ['green', [0, 255, 0, 255], [173, 42, 26]],
    ['blue', [0, 0, 255, 255], [32, 240, 118]],
  ])('gives %s the values of BT.709, limited range', (_, pixel, [y, u, v]) => {
    const frame = rgbaToYuv(plain(pixel));
    expect([...frame.y]).toEqual([y, y, y, y]);
    expect([frame.u[0], frame.v[0]]).toEqual([u, v]);
  });

  it('refuses odd sides and buffers of the wrong length', () => {
    expect(() => rgbaToYuv(fill([[0, 0, 0, 0]], 1))).toThrow(RangeError);
    expect(() => rgbaToYuv({ width: 2, height: 2, data: new Uint8Array(15) })).toThrow(/need 16 bytes, got 15/);
  });
});

describe('rgbaToYuva', () => {
  it('does not let invisible pixels tint the edge', () => {
    const clear = [0, 0, 255, 0];
    const red = [255, 0, 0, 255];
    const frame = rgbaToYuva(fill([clear, red, clear, clear], 2));
    expect([...frame.a]).toEqual([0, 255, 0, 0]);
    expect([frame.y[1], frame.u[0], frame.v[0]]).toEqual([63, 102, 240]);
  });

  it('makes odd sides even by adding transparency', () => {
    const frame = rgbaToYuva(fill([[255, 255, 255, 128]], 1));
    expect(frame).toMatchObject({ width: 2, height: 2 });
    expect([...frame.a]).toEqual([128, 0, 0, 0]);
    expect([frame.y[0], frame.u[0], frame.v[0]]).toEqual([235, 128, 128]);
  });
});
