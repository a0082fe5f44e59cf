import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeFrames, probe } from '@figurehead/media';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPortraits } from './portraits.js';

const AVA = { folder: fileURLToPath(new URL('../../../../../presenters/packs/ava', import.meta.url)), version: 'v1' };

describe('portraits of a presenter', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portraits-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('creates a square WebP once for concurrent requests', async () => {
    const portraits = createPortraits(join(folder, 'stills'));
    const [first, second] = await Promise.all([portraits.thumbnail(AVA), portraits.thumbnail(AVA)]);
    expect(second).toBe(first);
    expect(await readdir(join(folder, 'stills'))).toHaveLength(1);
    const bytes = await readFile(first);
    expect(bytes.subarray(8, 12).toString('latin1')).toBe('WEBP');
    expect(bytes.length).toBeGreaterThan(8_000);
    // Another server uses the prepared file, without a copy.
    expect(await createPortraits(join(folder, 'own'), join(folder, 'stills')).thumbnail(AVA)).toBe(first);
    expect(await readdir(folder)).not.toContain('own');
  });

  it('creates a moving four-second clip whose end meets its start', async () => {
    const file = await createPortraits(join(folder, 'clips')).preview(AVA);
    expect((await probe(file)).video).toMatchObject({ codec: 'h264', width: 360, height: 360, frames: 100 });
    const planes: Uint8Array[] = [];
    for await (const frame of decodeFrames(file)) planes.push(Uint8Array.from(frame.y));
    const away = planes.map((plane) => distance(plane, planes[0]!));
    // The codec's error between a keyframe and the previous frame is below one luma step.
    expect(away.at(-1)).toBeLessThan(1);
    expect(Math.max(...away)).toBeGreaterThan(1.5);
  });
});

function distance(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] ?? 0)), 0) / a.length;
}
