import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeNeuralPresenter } from '../../../../../tests/support/neural-presenter.js';
import { hasOnnxRuntime } from '../../../../../tests/support/onnx-runtime.js';
import { splitAnnexB } from '../../encode/codecs/nal.js';
import type { Pose } from '../../face/contract.js';
import { createLiveFace } from '../../face/index.js';
import { createCompositor } from '../../presenter/compositor.js';
import type { Compositor, PresenterPack } from '../../presenter/contract.js';
import { loadPack } from '../../presenter/pack/pack.js';
import { SAMPLE_RATE } from '../../time.js';
import { IdleLoops } from './idle.js';
import { type Surface, SurfacePool, type SurfaceSettings } from './surface.js';
import { VideoSource } from './video-source.js';

const HELEN = fileURLToPath(new URL('../../../../../presenters/packs/helen', import.meta.url));
const SIDE = 128;
const FPS = 25;

/** The model returns only when the test releases it. */
class HeldSurfaces extends SurfacePool {
  readonly waiting: (() => void)[] = [];

  override acquire(settings: SurfaceSettings): Surface {
    const surface = super.acquire(settings);
    const prepare = async (pose: Pose): Promise<void> => {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
      await surface.prepare?.(pose);
    };
    return { ...surface, prepare };
  }
}

describe('the first picture', () => {
  it('is encoded before the connection and sent with its first tick, as a keyframe', async () => {
    const compositor = await createCompositor();
    const surfaces = new SurfacePool(compositor);
    const loops = new IdleLoops(surfaces, () => undefined);
    await loops.close();
    const sent: { data: Uint8Array; sample: number }[] = [];
    const source = new VideoSource({
      ...usual(await loadPack(HELEN), { surfaces, loops }),
      onFrame: ({ data }, sample) => sent.push({ data, sample }),
    });
    source.prepare();
    while (source.takeCounts().encoded === 0) await new Promise(setImmediate);
    expect(sent).toEqual([]);
    source.onVideo(0, performance.now());
    expect(sent).toHaveLength(1);
    expect(sent[0]?.sample).toBe(0);
    const types = splitAnnexB(sent[0]!.data).map((unit) => unit[0]! & 31);
    expect(types).toContain(5);
    source.close();
    compositor.close();
  });
});

describe('surfaces', () => {
  it('of a presenter that was shown before is ready at once; four unused surfaces are cached', async () => {
    const compositor = await createCompositor();
    const surfaces = new SurfacePool(compositor);
    const pack = await loadPack(HELEN);
    let placed = 0;
    const place = compositor.place.bind(compositor);
    compositor.place = (...how) => {
      placed++;
      return place(...how);
    };
    const show = (side: number) =>
      surfaces.acquire({ pack, width: side, height: side, background: '#808080' }).release();
    for (const side of [64, 66, 68, 70, 64, 66]) show(side);
    expect(placed).toBe(4);
    show(72);
    show(68);
    expect(placed).toBe(6);
    compositor.close();
  });
});

describe('a transparent presenter', () => {
  it('is drawn over black above and has its opacity below, so that it looks the same on any colour', async () => {
    const compositor = await createCompositor();
    const surfaces = new SurfacePool(compositor);
    const pack = await loadPack(HELEN);
    const pose = createLiveFace(1).poseAt(0);
    const open = (background: string) => surfaces.acquire({ pack, width: 128, height: 160, background });
    const opaque = open('#808080').draw(pose);
    const expected = { y: opaque.y.slice(), u: opaque.u.slice(), v: opaque.v.slice() };
    const surface = open('transparent');
    expect(surface).toMatchObject({ width: 128, height: 320, shownHeight: 160 });
    const { y, u, v } = surface.draw(pose);
    const opacity = (x: number, row: number) => (y[(160 + row) * 128 + x]! - 16) / 219;
    expect([opacity(2, 2), opacity(64, 150), opacity(64, 60)]).toEqual([0, 1, 1]);
    // Composed over grey as a page does it: luma from black up, chroma around its middle.
    let worst = 0;
    const grey = expected.y[0]! - 16;
    for (let row = 0; row < 160; row++) {
      for (let x = 0; x < 128; x++) {
        const luma = y[row * 128 + x]! + (1 - opacity(x, row)) * grey;
        worst = Math.max(worst, Math.abs(luma - expected.y[row * 128 + x]!));
      }
    }
    expect(worst).toBeLessThan(4);
    const chroma = (plane: Uint8Array, same: Uint8Array) =>
      Math.max(...same.map((value, at) => Math.abs(value - plane[at]!)));
    expect(Math.max(chroma(u, expected.u), chroma(v, expected.v))).toBeLessThan(6);
    expect(u.slice(128 * 40).every((value) => value === 128)).toBe(true);
    surface.release();
    compositor.close();
  });
});

/** The common options of these tests. */
const usual = (pack: PresenterPack, shared: { surfaces: SurfacePool; loops: IdleLoops }) =>
  ({
    pack,
    picture: { width: SIDE, height: SIDE, fps: FPS, background: '#808080' },
    expression: 'friendly',
    codec: 'H264',
    face: createLiveFace(1),
    ...shared,
    bitRate: { start: 300_000, max: 300_000 },
    seed: 1,
    isSpeaking: () => true,
    packetize: (data: Uint8Array) => [data],
    onFrame: () => undefined,
    onFrameRate: () => undefined,
    onFailure: (error: unknown) => {
      throw error;
    },
  }) as const;

describe.skipIf(!hasOnnxRuntime('a slow model in a session'))(
  'a session whose model is slower than its frame rate',
  () => {
    let folder: string;
    let compositor: Compositor;
    let pack: PresenterPack;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'figurehead-test-'));
      await writeNeuralPresenter(folder, { side: SIDE });
      compositor = await createCompositor();
      pack = await loadPack(folder);
    });
    afterAll(async () => {
      compositor.close();
      await rm(folder, { recursive: true });
    });

    /** Plays `ticks` frames; the model finishes one picture each `period` frames. */
    async function play(ticks: number, period: number): Promise<{ rates: number[]; most: number; skipped: number }> {
      const surfaces = new HeldSurfaces(compositor);
      const loops = new IdleLoops(surfaces, () => undefined);
      await loops.close();
      const rates: number[] = [];
      const failures: unknown[] = [];
      const source = new VideoSource({
        ...usual(pack, { surfaces, loops }),
        onFrameRate: (rate) => rates.push(rate),
        onFailure: (error) => failures.push(error),
      });
      let [most, skipped] = [0, 0];
      for (let tick = 0; tick < ticks; tick++) {
        source.onVideo((tick * SAMPLE_RATE) / FPS, (tick * 1000) / FPS);
        most = Math.max(most, surfaces.waiting.length);
        if ((tick + 1) % period === 0) surfaces.waiting.shift()?.();
        // Model and encoder finish before the next frame is due, whatever else the machine does.
        let counts = source.takeCounts();
        let [drawn, encoded] = [counts.drawn, counts.encoded];
        skipped += counts.skipped;
        while (encoded < drawn) {
          await new Promise(setImmediate);
          counts = source.takeCounts();
          encoded += counts.encoded;
          drawn += counts.drawn;
        }
        await new Promise(setImmediate);
      }
      source.close();
      expect(failures).toEqual([]);
      return { rates, most, skipped };
    }

    it('drops pictures instead of queueing them, and lowers its frame rate', async () => {
      const { rates, most, skipped } = await play(6 * FPS, 3);
      expect(most).toBeLessThanOrEqual(2);
      expect(skipped).toBeGreaterThan(2 * FPS);
      expect(rates[0]).toBeLessThan(FPS);
    });

    it('shows the idle presenter at the full rate until the model has been loaded', async () => {
      const { rates, most, skipped } = await play(3 * FPS, Number.POSITIVE_INFINITY);
      expect({ rates, most, skipped }).toEqual({ rates: [], most: 2, skipped: 0 });
    });
  },
);
