import { createFaceTrack } from '@figurehead/presenter/face';
import { allocateYuv } from '@figurehead/presenter/frame';
import { frameToSample, SAMPLE_RATE } from '@figurehead/presenter/time';
import { describe, expect, it } from 'vitest';
import type { LayerMotion, LayerState, PresenterLayer, Shot } from '../../scene/contract.js';
import { goodFrame } from './moment.js';

const SIZE = { width: 64, height: 36 };
const FPS = 25;
const [SHOWN, HIDDEN] = [1, 0].map((opacity): LayerState => ({ dx: 0, dy: 0, scale: 1, opacity }));

function shot(frames: number, layer: Partial<PresenterLayer> = {}): Shot {
  const face = { seed: 1, stretches: [] };
  const placement = { x: 0, y: 0, ...SIZE, crop: 'bust' } as const;
  const presenter: PresenterLayer = { kind: 'presenter', pack: 'none', placement, face, motions: [], ...layer };
  const format = { ...SIZE, fps: FPS } as const;
  return { key: 'k', format, startFrame: 0, frames, base: allocateYuv(SIZE.width, SIZE.height), layers: [presenter] };
}

/** Syllables without a pause, but for a tenth of a second at a random place of each two seconds. */
function babble(seed: number): PresenterLayer['face'] {
  const samples = 10 * SAMPLE_RATE;
  const phonemes = Array.from({ length: 100 }, (_, n) => {
    const phone = n % 20 === seed % 20 ? '' : ['b', 'a', 'f', 'o', 's', 'i'][n % 6]!;
    return { phone, stress: n % 4 === 1 ? 1 : 0, start: n * 4800, end: (n + 1) * 4800 } as const;
  });
  const energy = new Float32Array(samples / 480).fill(0.7);
  return { seed, stretches: [{ start: 0, samples, marks: { phonemes, words: [] }, energy }] };
}

describe('the frame that represents a shot', () => {
  it('shows presenters with open eyes and their mouths at rest, although they speak', () => {
    // A filmed presenter blinks as in its film.
    const film = { rate: 1, yaw: [0], pitch: [0], roll: [0], blinksPerMinute: 30 };
    for (const motion of [undefined, film]) {
      const packs = new Map([['none', motion === undefined ? {} : { motion }]]);
      for (let seed = 0; seed < 40; seed++) {
        const face = babble(seed);
        const frame = goodFrame(shot(250, { face }), packs);
        const { lids, mouth } = createFaceTrack(face, motion).poseAt(frameToSample(frame, FPS));
        expect(lids).toBeLessThan(0.3);
        expect(mouth.open).toBeLessThan(0.3);
      }
    }
  });

  it('comes after entrances and before exits, in a short shot in its middle', () => {
    const motion = (startFrame: number, to: LayerState | undefined): LayerMotion => {
      return { startFrame, frames: 20, from: to === SHOWN ? HIDDEN! : SHOWN!, to: to!, easing: 'linear' };
    };
    const motions = [motion(10, SHOWN), motion(45, HIDDEN)];
    const frame = goodFrame(shot(250, { face: babble(3), motions }), new Map());
    expect(frame).toBeGreaterThanOrEqual(40);
    expect(frame).toBeLessThan(45);
    expect(goodFrame(shot(8), new Map())).toBe(4);
    expect(goodFrame({ ...shot(250), layers: [] }, new Map())).toBe(10);
  });
});
