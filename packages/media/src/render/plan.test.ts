import { allocateYuv } from '@figurehead/presenter/frame';
import { describe, expect, it } from 'vitest';
import type { LayerMotion, Shot, SpriteLayer } from '../scene/contract.js';
import { availableCpus } from './cpus.js';
import { videoSeconds } from './drawing/drawing.js';
import { layerStateAt } from './drawing/motion.js';
import { isCalm, planSegments, segmentKey } from './plan.js';

const rest = { dx: 0, dy: 0, scale: 1, opacity: 1 };

function motion(startFrame: number, frames: number): LayerMotion {
  return { startFrame, frames, from: { ...rest, dx: -100, opacity: 0 }, to: rest, easing: 'ease-out' };
}

function sprite(...motions: LayerMotion[]): SpriteLayer {
  return { kind: 'sprite', picture: { ...allocateYuv(2, 2), a: new Uint8Array(4) }, x: 0, y: 0, motions };
}

function shot(frames: number, layers: Shot['layers']): Shot {
  const format = { width: 16, height: 16, fps: 25 } as const;
  return { key: 'k', format, startFrame: 0, frames, base: allocateYuv(16, 16), layers };
}

describe('planning segments', () => {
  it('makes one still from a shot in which nothing moves', () => {
    expect(planSegments(shot(500, [sprite()]), 50)).toEqual([{ start: 0, frames: 500, still: true }]);
  });

  it('encodes entrance and exit and shows the rest as a still', () => {
    expect(planSegments(shot(300, [sprite(motion(0, 15), motion(280, 20))]), 50)).toEqual([
      { start: 0, frames: 15, still: false },
      { start: 15, frames: 265, still: true },
      { start: 280, frames: 20, still: false },
    ]);
  });

  it('does not split at a pause of a few frames, and covers every frame once', () => {
    for (const frames of [1, 7, 49, 50, 151, 1000]) {
      const plans = planSegments(shot(frames, [sprite(motion(3, 10)), sprite(motion(17, 4), motion(40, 5))]), 50);
      let at = 0;
      for (const plan of plans) {
        expect(plan.start).toBe(at);
        expect(plan.frames).toBeGreaterThan(0);
        at += plan.frames;
      }
      expect(at).toBe(frames);
    }
  });

  it('derives the cache key of a segment from everything that changes its bytes', () => {
    const settings = { width: 16, height: 16, fps: 25, preset: 'veryfast', crf: 23, gopFrames: 50 } as const;
    const plan = { start: 0, frames: 50, still: false };
    const key = segmentKey(shot(50, []), plan, settings);
    expect(segmentKey(shot(50, []), plan, settings)).toBe(key);
    expect(segmentKey(shot(50, []), plan, { ...settings, crf: 22 })).not.toBe(key);
    expect(segmentKey({ ...shot(50, []), key: 'other' }, plan, settings)).not.toBe(key);
    expect(segmentKey(shot(50, []), { ...plan, start: 50 }, settings)).not.toBe(key);
  });
});

describe('a motion', () => {
  it('holds its ends and eases between them', () => {
    const motions = [motion(10, 10)];
    expect(layerStateAt(motions, 0)).toMatchObject({ dx: -100, opacity: 0 });
    expect(layerStateAt(motions, 20)).toEqual(rest);
    expect(layerStateAt(motions, 15).dx).toBeCloseTo(-12.5);
    expect(layerStateAt([], 5)).toEqual(rest);
  });
});

describe('a playing video', () => {
  it('restarts when it loops, and otherwise holds its last frame', () => {
    expect(videoSeconds({ startSeconds: 1, loop: true }, 3, 4.5)).toBeCloseTo(1.5);
    expect(videoSeconds({ startSeconds: 1, loop: false }, 3, 4.5)).toBeCloseTo(5.5);
  });
});

describe('the number of threads', () => {
  const files = (known: Record<string, string>) => (file: string) => {
    const text = known[file];
    if (text === undefined) throw new Error(`no ${file}`);
    return text;
  };
  it('follows the quota of both versions of cgroups', () => {
    expect(availableCpus(files({ '/sys/fs/cgroup/cpu.max': '100000 100000\n' }))).toBe(1);
    expect(
      availableCpus(
        files({
          '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '50000\n',
          '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
        }),
      ),
    ).toBe(1);
  });
  it('is the number of cores without a quota', () => {
    const all = availableCpus(files({}));
    expect(all).toBeGreaterThanOrEqual(1);
    expect(availableCpus(files({ '/sys/fs/cgroup/cpu.max': 'max 100000\n' }))).toBe(all);
  });

  it('counts a shot without videos as calm', () => {
    const clip = {
      kind: 'video',
      file: 'clip.mp4',
      x: 0,
      y: 0,
      width: 64,
      height: 64,
      startSeconds: 0,
      loop: true,
    } as const;
    expect(isCalm(shot(50, [sprite(motion(0, 15))]))).toBe(true);
    expect(isCalm(shot(50, [sprite(), { ...clip, motions: [] }]))).toBe(false);
  });
});
