import { rgbaToYuv } from '@figurehead/presenter/colour';
import type { RgbaImage } from '@figurehead/presenter/frame';
import { expect, it } from 'vitest';
import { loadCanvas } from './canvas.js';
import { ditherGradients } from './gradient-dither.js';

const [WIDTH, HEIGHT] = [64, 720];

async function drawn(bottom: string, box = false): Promise<RgbaImage> {
  const ctx = (await loadCanvas()).createCanvas(WIDTH, HEIGHT).getContext('2d');
  const gradient = ctx.createLinearGradient(0, 0, 0, HEIGHT);
  gradient.addColorStop(0, '#0b1020');
  gradient.addColorStop(1, bottom);
  ctx.fillStyle = gradient;
  ctx.fillRect(0, 0, WIDTH, HEIGHT);
  ctx.fillStyle = '#ffffff';
  if (box) ctx.fillRect(20, 20, 5, 5);
  return { width: WIDTH, height: HEIGHT, data: ctx.getImageData(0, 0, WIDTH, HEIGHT).data };
}

/** Greatest difference of the mean luma of eight rows from the gradient's, in steps of luma. */
function bandsOf(image: RgbaImage, luma: Uint8Array): number {
  let greatest = 0;
  for (let top = 0; top < HEIGHT; top += 8) {
    let [is, wanted] = [0, 0];
    for (let at = top * WIDTH; at < (top + 8) * WIDTH; at++) {
      const [r, g, b] = image.data.subarray(at * 4) as unknown as [number, number, number];
      is += luma[at]!;
      wanted += 16 + (219 / 255) * (0.2126 * r + 0.7152 * g + 0.0722 * b);
    }
    greatest = Math.max(greatest, Math.abs(is - wanted) / (8 * WIDTH));
  }
  return greatest;
}

it('shows a dark gradient without bands of whole luma steps', async () => {
  const image = await drawn('#16264a');
  const frame = rgbaToYuv(image);
  expect(bandsOf(image, frame.y)).toBeGreaterThan(0.3);
  ditherGradients(image, frame);
  expect(bandsOf(image, frame.y)).toBeLessThan(0.15);
});

it('leaves plain areas and detail unchanged', async () => {
  for (const image of [await drawn('#0b1020'), await drawn('#0b1020', true)]) {
    const frame = rgbaToYuv(image);
    ditherGradients(image, frame);
    expect(frame.y).toEqual(rgbaToYuv(image).y);
  }
});
