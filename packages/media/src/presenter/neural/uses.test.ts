import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeNeuralPresenter } from '../../../../../tests/support/neural-presenter.js';
import { hasOnnxRuntime } from '../../../../../tests/support/onnx-runtime.js';
import { decodeFrames } from '../../encode/index.js';
import type { SpokenStretch } from '../../face/contract.js';
import { createLiveFace } from '../../face/index.js';
import { allocateYuv } from '../../frame.js';
import { SurfacePool } from '../../live/video/surface.js';
import { renderVideo } from '../../render/index.js';
import { createCompositor } from '../compositor.js';
import { loadPack } from '../pack/pack.js';

const SIDE = 128;
const FRAMES = 25;

/** "a" for half a second, in the middle of a second. */
const VOWEL: SpokenStretch = {
  start: 12_000,
  samples: 24_000,
  marks: {
    phonemes: [{ phone: 'a', start: 0, end: 24_000, stress: 1 }],
    words: [{ text: 'a', start: 0, end: 24_000, textStart: 0, textEnd: 1 }],
  },
  energy: new Float32Array(50).fill(0.9),
};

describe.skipIf(!hasOnnxRuntime('neural presenters in videos and sessions'))(
  'a neural presenter is used like any other',
  () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'neural-uses-'));
      await writeNeuralPresenter(join(folder, 'zoe'), { side: SIDE });
    });
    afterAll(() => rm(folder, { recursive: true }));

    it('in a video: every frame shows its own pose', async () => {
      const format = { width: SIDE, height: SIDE, fps: 25 } as const;
      const base = allocateYuv(SIDE, SIDE);
      base.u.fill(128);
      base.v.fill(128);
      const layer = {
        kind: 'presenter',
        pack: join(folder, 'zoe'),
        placement: { x: 0, y: 0, width: SIDE, height: SIDE, crop: 'full' },
        face: { seed: 1, stretches: [VOWEL] },
        motions: [],
      } as const;
      const out = join(folder, 'zoe.mp4');
      await renderVideo({
        shots: [{ key: 'zoe', format, startFrame: 0, frames: FRAMES, base, layers: [layer] }],
        audio: new Float32Array(FRAMES * 1920),
        timeline: { cues: [], chapters: [] },
        subtitleTrack: false,
        settings: { ...format, preset: 'veryfast', crf: 20, gopFrames: 50 },
        out,
        threads: 1,
        loadPack,
      });
      const greys: number[] = [];
      for await (const frame of decodeFrames(out)) greys.push(frame.y[64 * frame.yStride + 64]!);
      expect(greys).toHaveLength(FRAMES);
      // Shut before and after, open in between.
      expect(Math.max(...greys.slice(0, 4), ...greys.slice(-3))).toBeLessThan(45);
      expect(Math.max(...greys.slice(8, 16))).toBeGreaterThan(120);
    });

    it('in a stream: two sessions of one presenter are computed together, and each sees its own face', async () => {
      const compositor = await createCompositor();
      const surfaces = new SurfacePool(compositor);
      const settings = { pack: await loadPack(join(folder, 'zoe')), width: SIDE, height: SIDE, background: '#808080' };
      const [speaker, listener] = [surfaces.acquire(settings), surfaces.acquire(settings)];
      const [talking, resting] = [createLiveFace(1), createLiveFace(2)];
      talking.addStretch(VOWEL);
      const poses = [talking.poseAt(24_000), resting.poseAt(24_000)] as const;
      await Promise.all([speaker.prepare?.(poses[0]), listener.prepare?.(poses[1])]);
      const grey = (surface: typeof speaker, pose: (typeof poses)[0]): number => {
        const frame = surface.draw(pose);
        return frame.y[64 * frame.yStride + 64]!;
      };
      const [open, shut] = [grey(speaker, poses[0]), grey(listener, poses[1])];
      speaker.release();
      listener.release();
      compositor.close();
      expect(open).toBeGreaterThan(120);
      expect(shut).toBeLessThan(30);
    });
  },
);
