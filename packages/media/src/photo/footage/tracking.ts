import { PortraitRefused } from '../contract.js';
import { type DetectedFace, detectFaces } from '../detector.js';
import { attitudeOf, countPeople, judgePlace } from '../judgement.js';
import type { PortraitNetworks } from '../networks.js';
import type { Picture } from '../picture.js';
import { followMesh, type MeshPoint, readMesh } from '../shaping/mesh.js';
import { lumaOf } from '../shaping/sampling.js';
import { CutWatch } from './cuts.js';
import type { Film } from './film.js';

/** A frame of the film with the position of the face. */
export interface TrackedFrame {
  readonly seconds: number;
  /** Points of the face, px of the film's pictures. */
  readonly points: readonly MeshPoint[];
  /** Degrees. */
  readonly attitude: ReturnType<typeof attitudeOf>;
  /** Why the face cannot rest on a plate as it is here: too small, too near an edge, turned away. */
  readonly misfit: string | undefined;
}

/** Time between two searches of the whole picture for other people, seconds. */
const SEARCH_SECONDS = 2;

/** Probability of a face from which its points are followed. */
const PRESENT = 0.5;

/** A face may be out of sight this long, seconds. */
const ABSENT_SECONDS = 1;

/** Median luma of a face that is lit well enough, 0…255. */
const MIN_LIGHT = 42;

/** A film whose coarse picture has changed less than this after some seconds is a still picture. */
const STILL = 0.05;
const STILL_SECONDS = 4;

/** The film needs a frame that can become the resting plate within this time, seconds: by then people sit still. */
const SETTLED_SECONDS = 5;

/** Greatest turn to a side at which the mouth still counts as frontal, degrees, and the share of the frames that must be below it. */
const MAX_TURN = 28;
const FRONTAL_SHARE = 0.6;

/**
 * Follows the face through a film.
 * @throws PortraitRefused with the reason and the second, where the film shows no one or more than one person, is cut,
 * too dark, or shows the face from the side, too small or too near an edge.
 */
export async function trackFace(film: Film, networks: PortraitNetworks): Promise<readonly TrackedFrame[]> {
  const frames: TrackedFrame[] = [];
  const cuts = new CutWatch();
  let before: readonly MeshPoint[] | undefined;
  let searchedAt = -Infinity;
  let seenAt = 0;
  for await (const { seconds, picture } of film.frames()) {
    const followed = before && followMesh(networks.mesh, picture, before);
    let points = followed !== undefined && followed.presence >= PRESENT ? followed.points : undefined;
    if (points === undefined || seconds - searchedAt >= SEARCH_SECONDS) {
      searchedAt = seconds;
      const face = searchFace(networks, picture, seconds);
      points ??= face && readPresent(networks, picture, face);
    }
    const cut = cuts.cutAt({ seconds, picture, points });
    if (cut !== undefined) throw refusal('The video is cut; it must be one take', cut);
    if (seconds > STILL_SECONDS && cuts.greatest < STILL) throw refusal('The picture does not move', seconds);
    before = points;
    if (points === undefined) {
      if (seconds - seenAt > ABSENT_SECONDS) throw refusal('There is no face in the picture', seenAt);
      continue;
    }
    seenAt = seconds;
    refuseDark(picture, points, seconds);
    const inFilm = enlarged(points, film.width / picture.width);
    frames.push({ seconds, points: inFilm, attitude: attitudeOf(inFilm), misfit: judgePlace(inFilm, film)[0] });
    if (seconds > SETTLED_SECONDS) refuseMisfits(frames);
  }
  refuseProfile(frames);
  return frames;
}

/** Points of a picture in another that is `scale` times as large; pixel centres are at whole numbers. */
function enlarged(points: readonly MeshPoint[], scale: number): readonly MeshPoint[] {
  const move = (at: number): number => (at + 0.5) * scale - 0.5;
  return points.map(({ x, y, z }) => ({ x: move(x), y: move(y), z: z * scale }));
}

/** A reason with the second at which it was seen. */
export function refusal(reason: string, seconds: number): PortraitRefused {
  return new PortraitRefused(`${reason.replace(/\.$/, '')} (second ${Math.floor(seconds)}).`);
}

/** Width of a face at the eyes in space, px, which does not depend on the head's attitude. */
export function eyesApart(points: readonly MeshPoint[]): number {
  return distance(points[33]!, points[263]!);
}

/** Distance of two points in space, px. */
export function distance(a: MeshPoint, b: MeshPoint): number {
  return Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

/** The most important face. Throws {@link PortraitRefused} if there is another. */
function searchFace(networks: PortraitNetworks, picture: Picture, seconds: number): DetectedFace | undefined {
  const faces = detectFaces(networks.detector, picture).sort((a, b) => b.size - a.size);
  const people = countPeople(faces);
  if (people > 1) throw refusal(`There are ${people} faces in the picture; it must show one person`, seconds);
  return faces[0];
}

function readPresent(
  networks: PortraitNetworks,
  picture: Picture,
  face: DetectedFace,
): readonly MeshPoint[] | undefined {
  const { points, presence } = readMesh(networks, picture, face);
  return presence >= PRESENT ? points : undefined;
}

function refuseDark(picture: Picture, points: readonly MeshPoint[], seconds: number): void {
  const lights = points.flatMap(({ x, y }, i) => {
    const at = (Math.round(y) * picture.width + Math.round(x)) * 4;
    return i % 6 === 0 && at >= 0 && at < picture.data.length - 4 ? [lumaOf(picture.data, at)] : [];
  });
  if (medianOf(lights) < MIN_LIGHT) throw refusal('The face is too dark', seconds);
}

/** Refuses a film of which no frame so far could become the plate. */
function refuseMisfits(frames: readonly TrackedFrame[]): void {
  const [first] = frames;
  if (first?.misfit === undefined || frames.some(({ misfit }) => misfit === undefined)) return;
  throw refusal(first.misfit, first.seconds);
}

function refuseProfile(frames: readonly TrackedFrame[]): void {
  const turned = frames.filter(({ attitude }) => Math.abs(attitude.turn) > MAX_TURN);
  if (frames.length === 0) throw refusal('There is no face in the picture', 0);
  if (turned.length <= (1 - FRONTAL_SHARE) * frames.length) return;
  const [{ attitude, seconds }] = turned as [TrackedFrame];
  throw refusal(
    `The face is turned ${Math.round(Math.abs(attitude.turn))}° to the side; it must look at the camera`,
    seconds,
  );
}

/** The middle one of some values; 0 of none. */
export function medianOf(values: readonly number[]): number {
  return quantileOf(values, 0.5);
}

/** The value below which this share of the values is; 0 of none. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
