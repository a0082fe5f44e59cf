import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MouthPose } from '@figurehead/presenter/face';
import { createFaceTrack } from '@figurehead/presenter/face';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FilmScene, writeFilm } from '../../../../../tests/support/presenter-film.js';
import { yuvToRgba } from '../../encode/index.js';
import { createCompositor, loadPack, type PresenterPack } from '../../presenter/index.js';
import { detectFaces } from '../detector.js';
import { makeFootagePack } from '../index.js';
import { openNetworks } from '../networks.js';
import type { Picture } from '../picture.js';
import { readMesh } from '../shaping/mesh.js';
import { type Film, openFilm } from './film.js';
import { measureShapes } from './mouth-shapes.js';
import { refuseSilent } from './talking.js';
import { distance, eyesApart, trackFace } from './tracking.js';

const PACKS = fileURLToPath(new URL('../../../../../presenters/packs/', import.meta.url));
const SIDE = 480;

/** The longest film: of a longer film, fewer pictures per second are looked at. */
const LONGEST = 180;

describe('a presenter from footage', () => {
  let parent: string;
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'footage-'));
  });
  afterAll(() => rm(parent, { recursive: true, force: true }));

  const make = async (file: string) => {
    const folder = join(parent, 'pack');
    const made = await makeFootagePack(file, { folder, name: 'own', donors: [join(PACKS, 'mei')] });
    return { folder, ...made };
  };
  const films = new Map<string, Promise<string>>();
  /** A film of these scenes, which tests share. */
  const film = (...scenes: FilmScene[]): Promise<string> => {
    const key = JSON.stringify(scenes);
    const write = async (): Promise<string> => {
      const file = join(parent, `${films.size}.mp4`);
      await writeFilm(file, scenes);
      return file;
    };
    const known = films.get(key) ?? write();
    films.set(key, known);
    return known;
  };

  it('opens its own mouth on /a/, closes it on p, rounds it on /u/, closes its own eyes, and moves as in the film', async () => {
    const { folder, background } = await make(await film({ presenters: ['ava'], seconds: 20 }));
    expect(background).toBe('removed');
    const pack = await loadPack(folder);
    const seen = await measure(pack, {
      rest: {},
      a: { open: 0.95, width: 0.05 },
      p: { width: -0.12, consonants: { PP: 1 } },
      i: { open: 0.26, width: 0.9 },
      u: { open: 0.15, width: -1 },
    });
    expect(seen.a.open).toBeGreaterThan(0.12);
    expect(seen.p.open).toBeLessThan(0.3 * seen.a.open);
    expect(seen.rest.open).toBeLessThan(0.3 * seen.a.open);
    expect(seen.u.width).toBeLessThan(0.92 * seen.i.width);
    expect(seen.rest.shutEyes).toBeLessThan(0.75 * seen.rest.eyes);

    // The film turns to each side once in four seconds and blinks as often.
    const { motion } = pack;
    expect(motion!.blinksPerMinute).toBeGreaterThan(10);
    expect(motion!.blinksPerMinute).toBeLessThan(20);
    expect(Math.max(...motion!.yaw) - Math.min(...motion!.yaw)).toBeGreaterThan(0.04);
    const [still, own] = [undefined, motion!].map((one) => createFaceTrack({ seed: 1, stretches: [] }, one));
    const yawAt = (track: typeof own, seconds: number): number => track!.poseAt(seconds * 48_000).head.yaw;
    expect(yawAt(own, 1)).not.toBe(yawAt(still, 1));
    // The loop closes without a jump.
    const steps = motion!.yaw.map((value, i) => Math.abs(value - motion!.yaw.at(i - 1)!));
    expect(steps[0]).toBeLessThanOrEqual(1.5 * Math.max(...steps.slice(1)));

    const files = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))));
    expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(25_000_000);
  });

  it.each<{ what: string; scenes: FilmScene[]; reason: RegExp }>([
    {
      what: 'shows two people',
      scenes: [{ presenters: ['ava', 'leo'], seconds: 20 }],
      reason: /^There are 2 faces in the picture; it must show one person \(second 0\)\.$/,
    },
    {
      what: 'is cut',
      scenes: [
        { presenters: ['ava'], seconds: 4 },
        { presenters: ['leo'], seconds: 16 },
      ],
      reason: /^The video is cut; it must be one take \(second 4\)\.$/,
    },
    {
      what: 'is too dark',
      scenes: [{ presenters: ['ava'], seconds: 20, light: 0.16 }],
      reason: /^(The face is too dark|There is no face in the picture) \(second 0\)\.$/,
    },
    {
      what: 'is a still picture',
      scenes: [{ presenters: ['ava'], seconds: LONGEST, still: true }],
      reason: /^The picture does not move \(second 4\)\.$/,
    },
    {
      what: 'shows the face from the side',
      scenes: [{ presenters: ['ava'], seconds: LONGEST, beside: 60 }],
      reason: /^The face is turned [2-9]\d° to the side; at most 20° work \(second 0\)\.$/,
    },
    {
      what: 'ends at the chin',
      scenes: [{ presenters: ['ava'], seconds: LONGEST, rows: 350 }],
      reason: /^The picture ends at the chin: leave room below it .* \(second 0\)\.$/,
    },
    {
      what: 'is too short',
      scenes: [{ presenters: ['ava'], seconds: 12 }],
      reason: /^The video is 12 s long; 20 s to 3 min are needed\.$/,
    },
    {
      what: 'is too long',
      scenes: [{ presenters: ['ava'], seconds: 200 }],
      reason: /^The video is 200 s long; 20 s to 3 min are needed\.$/,
    },
  ])('is refused with the reason and the second when the film $what', async ({ scenes, reason }) => {
    await expect(make(await film(...scenes))).rejects.toThrow(reason);
  });

  it.each<{ what: string; silent?: FilmScene['silent']; reason?: RegExp }>([
    { what: 'speaks' },
    {
      what: 'keeps the lips shut',
      silent: 'shut',
      reason: /^The mouth hardly moves; the film must show a person who speaks \(second 0\)\.$/,
    },
    { what: 'yawns', silent: 'yawning', reason: /^The mouth moves as in speech for 0 s only; .* \(second 0\)\.$/ },
    { what: 'smiles', silent: 'smiling', reason: /^The mouth (hardly moves|moves as in speech for 0 s only); .*$/ },
  ])('is judged by the mouth alone when the film has no sound and the person $what', async ({ silent, reason }) => {
    const scene: FilmScene = { presenters: ['ava'], seconds: 20, ...(silent && { silent }) };
    const shapes = await trackSparsely(await film(scene));
    const judge = (): void => refuseSilent(measureShapes(shapes));
    if (reason === undefined) expect(judge).not.toThrow();
    else expect(judge).toThrow(reason);
  });

  it('is refused for a file that is broken or no video', async () => {
    const whole = await readFile(await film({ presenters: ['ava'], seconds: 20 }));
    const broken = join(parent, 'broken.mp4');
    await writeFile(broken, whole.subarray(0, whole.length / 8));
    await expect(make(broken)).rejects.toThrow(/not a video that can be read|damaged: its pictures end at second/);
    await writeFile(broken, 'no film');
    await expect(make(broken)).rejects.toThrow('The file is not a video that can be read.');
  });
});

/** Follows the face in as few pictures per second as of the longest film. */
async function trackSparsely(file: string): ReturnType<typeof trackFace> {
  const opened = await openFilm(file);
  const interval = 3;
  const sparse: Film = {
    width: opened.width,
    height: opened.height,
    durationSeconds: opened.durationSeconds,
    rate: opened.rate / interval,
    pictureAt: (seconds) => opened.pictureAt(seconds),
    close: () => opened.close(),
    async *frames() {
      let count = 0;
      for await (const shown of opened.frames()) if (count++ % interval === 0) yield shown;
    },
  };
  try {
    return await trackFace(sparse, await openNetworks());
  } finally {
    await sparse.close();
  }
}

interface Measured {
  /** Gap between the lips and width of the mouth, in distances of the eyes. */
  readonly open: number;
  readonly width: number;
  /** Opening of the eyes, and the same with closed lids, in distances of the eyes. */
  readonly eyes: number;
  readonly shutEyes: number;
}

/** Draws a pack with each mouth and measures it by the face network. */
async function measure<Name extends string>(
  pack: PresenterPack,
  mouths: Readonly<Record<Name, Partial<MouthPose>>>,
): Promise<Record<Name, Measured>> {
  const networks = await openNetworks();
  const compositor = await createCompositor();
  try {
    const target = compositor.createFrame(SIDE, SIDE);
    const person = compositor.place(pack, { x: 0, y: 0, width: SIDE, height: SIDE, crop: 'bust' }, target);
    const see = (mouth: Partial<MouthPose>, lids: number) => {
      target.y.fill(150);
      target.u.fill(132);
      target.v.fill(122);
      const still = {
        gaze: { x: 0, y: 0 },
        head: { yaw: 0, pitch: 0, roll: 0, x: 0, y: 0 },
        breath: 0,
        sway: 0,
        brow: 0,
      };
      person.draw({ mouth: { open: 0, width: 0, consonants: {}, smile: 0, ...mouth }, lids, ...still }, target);
      const picture = yuvToRgba(target) as Picture;
      const [face] = detectFaces(networks.detector, picture);
      const { points } = readMesh(networks, picture, face!);
      const between = (a: number, b: number): number => distance(points[a]!, points[b]!) / eyesApart(points);
      return { open: between(13, 14), width: between(61, 291), eyes: between(159, 145) };
    };
    const seen = Object.entries<Partial<MouthPose>>(mouths).map(([name, mouth]) => {
      return [name, { ...see(mouth, 0), shutEyes: see(mouth, 1).eyes }];
    });
    return Object.fromEntries(seen) as Record<Name, Measured>;
  } finally {
    compositor.close();
  }
}
