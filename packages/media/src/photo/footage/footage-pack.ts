import { type Viseme, visemeOf } from '@figurehead/presenter/face';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { decodeAudio, MediaError } from '../../encode/index.js';
import { marksFromSound } from '../../speech/index.js';
import { type MadePhotoPack, type PhotoPackOptions, PortraitRefused } from '../contract.js';
import { detectFaces } from '../detector.js';
import { RESTING_PATCH } from '../donor.js';
import { judgeFaces } from '../judgement.js';
import { openNetworks, type PortraitNetworks } from '../networks.js';
import { type MatchedPortrait, matchPortrait, writeMatched } from '../photo-pack.js';
import type { Picture } from '../picture.js';
import { drawEyes, type Eyes } from '../shaping/lids.js';
import { EYES, type FaceMesh, followMesh, readMesh } from '../shaping/mesh.js';
import { chooseClosedEyes, choosePatches, chooseRest } from './choice.js';
import { type Film, openFilm } from './film.js';
import { type MouthShape, measureShapes } from './mouth-shapes.js';
import { drawOwnLids } from './own-lids.js';
import { ownMotion } from './own-motion.js';
import { drawOwnMouth } from './patches.js';
import { refuseSilent } from './talking.js';
import { refusal, trackFace } from './tracking.js';
import type { FilmedFace } from './warp.js';

/** Number of frames that are tried as the resting plate. */
const REST_CANDIDATES = 8;

/** Number of frames that are tried for closed eyes, and the height of a closed eye in its widths, at most. */
const LID_CANDIDATES = 6;
const SHUT_EYE = 0.2;

/** Patch that shows a half-open mouth. */
const HALF_OPEN = 'g22';

/** The frame of the film that becomes the plate. */
interface Rest {
  readonly shape: MouthShape;
  readonly picture: Picture;
  readonly mesh: FaceMesh;
}

/**
 * Makes a presenter from a film of a person who speaks to the camera (presenters/FORMAT.md): the resting plate and all
 * mouths are the person's own. Takes about half a minute of one core for a minute of film; call it in a process of its own.
 * @param file a video of 20 s to 3 min.
 * @returns what became of the background.
 * @throws PortraitRefused if the film cannot become one, with the reason and the second.
 */
export async function makeFootagePack(file: string, options: PhotoPackOptions): Promise<MadePhotoPack> {
  const film = await openFilm(file);
  try {
    const networks = await openNetworks();
    const shapes = measureShapes(await trackFace(film, networks));
    refuseSilent(shapes);
    const rest = await findRest(film, networks, shapes);
    const matched = await matchPortrait(
      { picture: rest.picture, seen: rest.picture, mesh: rest.mesh },
      networks,
      options,
    );
    const { patches, opens, widths } = matched.parts.donor.manifest.mouth;
    const ids = patches.map(({ id }) => id);
    const chosen = choosePatches(shapes, {
      basis: { ids, opens, widths },
      rest: rest.shape,
      heard: await listen(file, film.durationSeconds),
    });
    const filmedFaces = await readFaces(film, networks, chosen);
    const mouth = drawOwnMouth(
      matched.parts,
      ids.map((id, i) => (id === RESTING_PATCH ? undefined : filmedFaces.get(chosen[i]!))),
      ids.indexOf(HALF_OPEN),
    );
    const motion = ownMotion(shapes);
    const eyes = await drawEyesOf(film, networks, { shapes, rest, matched });
    return await writeMatched(matched, options, { eyes, mouth, motion });
  } finally {
    await film.close();
  }
}

/** The best frame that is accepted as a portrait. */
async function findRest(film: Film, networks: PortraitNetworks, shapes: readonly MouthShape[]): Promise<Rest> {
  let refused: PortraitRefused | undefined;
  for (const shape of chooseRest(shapes, REST_CANDIDATES)) {
    const { seconds } = shape.frame;
    const picture = await film.pictureAt(seconds);
    const faces = detectFaces(networks.detector, picture).sort((a, b) => b.size - a.size);
    const mesh = faces[0] && readMesh(networks, picture, faces[0]);
    const [problem] = judgeFaces(faces, mesh, { picture, isPutRight: false });
    if (mesh !== undefined && problem === undefined) return { shape, picture, mesh };
    refused ??= refusal(problem ?? 'There is no face in the picture.', seconds);
  }
  throw refused ?? new PortraitRefused('There is no face in the video.');
}

/** The eyes with the person's own lids; with the donor's if no picture shows closed eyes from the front. */
async function drawEyesOf(
  film: Film,
  networks: PortraitNetworks,
  {
    shapes,
    rest,
    matched,
  }: { readonly shapes: readonly MouthShape[]; readonly rest: Rest; readonly matched: MatchedPortrait },
): Promise<Eyes> {
  const eyes = drawEyes(matched.parts);
  const closed = matched.parts.donor.manifest.eye.stages.map((stage) => stage.closed);
  let filmed: FilmedFace | undefined;
  let least = SHUT_EYE;
  for (const shape of chooseClosedEyes(shapes, rest.shape, LID_CANDIDATES)) {
    const picture = await film.pictureAt(shape.frame.seconds);
    const [face] = detectFaces(networks.detector, picture).sort((a, b) => b.size - a.size);
    const mesh = face && readMesh(networks, picture, face);
    const height = mesh === undefined ? Infinity : eyeHeight(mesh);
    if (mesh === undefined || height >= least) continue;
    [filmed, least] = [{ picture, points: mesh.points }, height];
  }
  return filmed === undefined ? eyes : drawOwnLids(matched.parts, { eyes, filmed, closed });
}

/** Height of the more open eye in its widths. */
function eyeHeight({ points }: FaceMesh): number {
  const heights = EYES.map(({ lower, upper }) => {
    const [a, b] = [points[lower[0]!]!, points[lower.at(-1)!]!];
    const [top, foot] = [points[upper[3]!]!, points[lower[4]!]!];
    return Math.hypot(top.x - foot.x, top.y - foot.y) / Math.hypot(a.x - b.x, a.y - b.y);
  });
  return Math.max(...heights);
}

/** The pictures of some frames, each read once. */
async function readFaces(
  film: Film,
  networks: PortraitNetworks,
  shapes: readonly MouthShape[],
): Promise<Map<MouthShape, FilmedFace>> {
  const filmedFaces = new Map<MouthShape, FilmedFace>();
  for (const shape of [...new Set(shapes)].sort((a, b) => a.frame.seconds - b.frame.seconds)) {
    const picture = await film.pictureAt(shape.frame.seconds);
    // The frame's own points are of a square that followed the face; a second pass centres it.
    const { points } = followMesh(networks.mesh, picture, shape.frame.points);
    filmedFaces.set(shape, { picture, points });
  }
  return filmedFaces;
}

/** The viseme at a time of the film, classified from its sound; `undefined` without sound. */
async function listen(file: string, maxSeconds: number): Promise<(seconds: number) => Viseme | undefined> {
  try {
    const { phonemes } = await marksFromSound(await decodeAudio(file, { maxSeconds }));
    return (seconds) => {
      const sample = seconds * SAMPLE_RATE;
      const mark = phonemes.find(({ start, end }) => start <= sample && sample < end);
      return mark && visemeOf(mark.phone);
    };
  } catch (error) {
    if (error instanceof MediaError) return () => undefined;
    throw error;
  }
}
