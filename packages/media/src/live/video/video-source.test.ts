import { fileURLToPath } from 'node:url';
import type { PresenterPack } from '@figurehead/presenter';
import { createLiveFace } from '@figurehead/presenter/face';
import { describe, expect, it } from 'vitest';
import { splitAnnexB } from '../../encode/codecs/nal.js';
import { createCompositor, loadPack } from '../../presenter/index.js';
import { IdleLoops } from './idle.js';
import { SurfacePool } from './surface.js';
import { VideoSource } from './video-source.js';

const HELEN = fileURLToPath(new URL('../../../../../presenters/packs/helen', import.meta.url));
const SIDE = 128;
const FPS = 25;

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

it('a picture that cannot be sent is a failure of its session', async () => {
  const compositor = await createCompositor();
  const surfaces = new SurfacePool(compositor);
  const loops = new IdleLoops(surfaces, () => undefined);
  await loops.close();
  const failures: unknown[] = [];
  const broken = new Error('no packets');
  const source = new VideoSource({
    ...usual(await loadPack(HELEN), { surfaces, loops }),
    packetize: () => {
      throw broken;
    },
    onFailure: (error) => failures.push(error),
  });
  source.prepare();
  await expect.poll(() => failures).toEqual([broken]);
  source.close();
  compositor.close();
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
    isCongested: () => false,
    onFailure: (error: unknown) => {
      throw error;
    },
  }) as const;
