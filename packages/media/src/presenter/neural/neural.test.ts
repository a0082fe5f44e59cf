import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeNeuralPresenter } from '../../../../../tests/support/neural-presenter.js';
import { hasOnnxRuntime } from '../../../../../tests/support/onnx-runtime.js';
import { REST_POSE } from '../../../../../tests/support/poses.js';
import type { Pose } from '../../face/contract.js';
import { createFaceTrack } from '../../face/index.js';
import { createCompositor } from '../compositor.js';
import type { Compositor } from '../contract.js';
import { listPacks, loadPack, packKind, packPlate } from '../pack/pack.js';
import { featuresOf } from './features.js';
import { NeuralModel } from './model.js';
import { isNeural, type NeuralPack } from './neural-pack.js';

const SIDE = 64;
const PLACE = { x: 32, y: 0, width: SIDE, height: SIDE, crop: 'full' } as const;

const pose = (open: number): Pose => ({ ...REST_POSE, mouth: { ...REST_POSE.mouth, open } });

describe.skipIf(!hasOnnxRuntime('drawing by a model'))('a neural presenter', () => {
  let folder: string;
  let pack: NeuralPack;
  let compositor: Compositor;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'neural-'));
    await writeNeuralPresenter(join(folder, 'zoe'), { side: SIDE });
    const loaded = await loadPack(join(folder, 'zoe'));
    if (!isNeural(loaded)) throw new Error('expected a neural pack');
    pack = loaded;
    compositor = await createCompositor();
  });
  afterAll(async () => {
    compositor.close();
    await rm(folder, { recursive: true });
  });

  it('is listed next to picture packs, and shows its portrait as its plate', async () => {
    expect(await listPacks(folder)).toEqual(['zoe']);
    expect(await packKind(join(folder, 'zoe'))).toBe('neural');
    expect(pack).toMatchObject({ name: 'Zoe', width: SIDE, height: SIDE });
    expect((await sharp(await packPlate(join(folder, 'zoe'))).metadata()).width).toBe(SIDE);
  });

  it('is drawn by its model, which receives the opening of the mouth', async () => {
    const frame = compositor.createFrame(128, SIDE);
    const placed = compositor.place(pack, PLACE, frame);
    const lumaAt = async (open: number): Promise<number> => {
      frame.y.fill(16);
      const at = pose(open);
      await placed.prepare?.(at);
      placed.draw(at, frame);
      return frame.y[32 * frame.yStride + 64]!;
    };
    const [shut, half, wide] = [await lumaAt(0), await lumaAt(0.5), await lumaAt(1)];
    placed.close();
    // The test's model paints the opening as grey: luma 16 … 235.
    expect([shut, wide]).toEqual([16, 235]);
    expect(Math.abs(half - 126)).toBeLessThan(3);
    expect(frame.y[32 * frame.yStride + 8]).toBe(16);
  });

  it('shows its portrait until a pose is computed, and never the pose of another session', async () => {
    const frame = compositor.createFrame(128, SIDE);
    const placed = compositor.place(pack, PLACE, frame);
    const [mine, other] = [pose(0), pose(1)];
    await placed.prepare?.(other);
    placed.draw(mine, frame);
    const resting = frame.y[32 * frame.yStride + 64]!;
    placed.close();
    expect(resting).toBeGreaterThan(60);
    expect(resting).toBeLessThan(200);
  });

  it('computes the frames of many sessions in a few runs, each with its own pose', async () => {
    const model = new NeuralModel(pack);
    const opens = Array.from({ length: 10 }, (_, i) => i / 9);
    const frames = await Promise.all(opens.map((open) => model.frame(featuresOf(pose(open)))));
    const runs = model.runs;
    model.close();
    expect(frames.map((rgba) => rgba[0])).toEqual(opens.map((open) => Math.round(255 * open)));
    // The description allows eight frames per run.
    expect(runs).toBe(2);
    await expect(model.frame(featuresOf(pose(0)))).rejects.toThrow(/closed/);
  });

  it('receives the visemes and loudness of a track, and silence before its start', () => {
    const phonemes = [{ phone: 'a', start: 0, end: 9600, stress: 1 as const }];
    const marks = { phonemes, words: [{ text: 'a', start: 0, end: 9600, textStart: 0, textEnd: 1 }] };
    const stretch = { start: 48_000, samples: 9600, marks, energy: new Float32Array(20).fill(0.8) };
    const track = createFaceTrack({ seed: 1, stretches: [stretch] });
    const spoken = featuresOf(track.poseAt(48_000 + 4800));
    const before = featuresOf(track.poseAt(20_000));
    expect(spoken.visemes[10]).toBeGreaterThan(0.9);
    expect(spoken.loudness[8]).toBeCloseTo(0.8, 1);
    expect(before.visemes[0]).toBe(1);
    expect(Math.max(...before.loudness)).toBe(0);
  });

  it('is refused with a message that names the file, what was expected and what was found', async () => {
    const dir = join(folder, 'broken');
    await writeNeuralPresenter(dir, { side: SIDE, output: 'nowhere' });
    const loaded = await loadPack(dir);
    if (!isNeural(loaded)) throw new Error('expected a neural pack');
    const model = new NeuralModel(loaded);
    await expect(model.frame(featuresOf(pose(0)))).rejects.toThrow(
      /model\.onnx: expected a tensor nowhere, found pose/,
    );
    model.close();
    await writeFile(join(dir, 'neural.json'), '{"version": 1, "inputs": {}}');
    await expect(loadPack(dir)).rejects.toThrow(/neural\.json: inputs: expected pose, visemes or loudness/);
    await rm(dir, { recursive: true });
  });
});
