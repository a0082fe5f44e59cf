import type { Landmarks } from '@figurehead/contract';
import { type MadePhotoPack, type PhotoBackground, type PhotoPackOptions, PortraitRefused } from './contract.js';
import { detectFaces } from './detector.js';
import { cheekColour, type Donor, readDonor, readDonorManifest } from './donor.js';
import { facePointsOf, moveMesh } from './face-points.js';
import { isHeadCut, separate } from './ground.js';
import { judgeFaces } from './judgement.js';
import { cutOutPerson, isCutOut } from './matte.js';
import type { Network } from './network/graph.js';
import { openNetworks, type PortraitNetworks } from './networks.js';
import { type PackContent, writePack } from './pack-files.js';
import type { Picture } from './picture.js';
import { decodePortrait } from './portrait-file.js';
import { alignFaces } from './shaping/alignment.js';
import { drawDepth, headOf } from './shaping/depth.js';
import { type FramedPortrait, framePortrait, layOnPlate, topOf } from './shaping/framing.js';
import { drawEyes } from './shaping/lids.js';
import { CHEEKS, type FaceMesh, mapMesh, readMesh } from './shaping/mesh.js';
import { drawMouth, type MouthParts } from './shaping/mouth.js';
import { areLipsParted, closeLips } from './shaping/parted-lips.js';
import { meanAround } from './shaping/sampling.js';

/**
 * Reads a portrait: the points of its face, and whether it can become a presenter. Takes a second or two of one core;
 * call it in a process of its own.
 * @param bytes a PNG, JPEG or WebP.
 * @param points corrected by the user; the portrait is judged by them.
 * @throws PortraitRefused if the bytes are not a picture.
 */
export async function readPortrait(bytes: Uint8Array, points?: PhotoPackOptions['points']): Promise<Landmarks> {
  const { seen, width, height } = await decodePortrait(bytes);
  const { mesh, problems } = look(await openNetworks(), seen, points);
  return { width, height, points: mesh === undefined ? [] : facePointsOf(mesh, seen), problems };
}

/**
 * Makes a presenter from a portrait (presenters/FORMAT.md) in a few seconds of one core; call it in a process of its
 * own.
 * @param bytes a PNG, JPEG or WebP.
 * @returns what became of the background.
 * @throws PortraitRefused if the portrait cannot become one.
 */
export async function makePhotoPack(bytes: Uint8Array, options: PhotoPackOptions): Promise<MadePhotoPack> {
  const { picture, seen } = await decodePortrait(bytes);
  const networks = await openNetworks();
  const { mesh, problems } = look(networks, seen, options.points);
  if (mesh === undefined || problems.length > 0) throw new PortraitRefused(problems.join(' '));
  const matched = await matchPortrait({ picture, seen, mesh }, networks, options);
  return writeMatched(matched, options, { eyes: drawEyes(matched.parts), mouth: drawMouth(matched.parts) });
}

/** A portrait on its plate, with the donor that supplies what it does not show. */
export interface MatchedPortrait {
  readonly parts: MouthParts;
  /** Background of the plate, if it is kept. */
  readonly ground?: Picture;
}

/** Chooses the donor of a portrait, cuts the person out, and matches the two faces. */
export async function matchPortrait(
  { picture, seen, mesh }: { readonly picture: Picture; readonly seen: Picture; readonly mesh: FaceMesh },
  networks: PortraitNetworks,
  { donors, background }: Pick<PhotoPackOptions, 'donors' | 'background'>,
): Promise<MatchedPortrait> {
  const donor = await nearestDonor(donors, mesh, seen);
  const donorMesh = meshOf(networks, donor);
  const framed = await framePortrait(picture, mesh, { manifest: donor.manifest, mesh: donorMesh });
  const {
    plate,
    mesh: onPlate,
    ground,
  } = layersOf(framed, await networks.segmenter(), {
    size: donor.manifest,
    background,
  });
  const alignment = alignFaces(donor, donorMesh, { plate, mesh: onPlate });
  return { parts: { donor, alignment, plate, mesh: onPlate, donorMesh }, ...(ground === undefined ? {} : { ground }) };
}

/** Writes the pack of a portrait with these eyes and mouths. */
export async function writeMatched(
  { parts, ground }: MatchedPortrait,
  { folder, name }: Pick<PhotoPackOptions, 'folder' | 'name'>,
  drawn: Pick<PackContent, 'eyes' | 'mouth' | 'motion'>,
): Promise<MadePhotoPack> {
  const { donor, donorMesh, alignment, plate, mesh } = parts;
  const { width, height } = plate;
  await writePack(folder, {
    name,
    donor,
    plate,
    ...(ground === undefined ? {} : { ground }),
    depth: drawDepth(donor, donorMesh, { mesh, width, height }),
    head: headOf(donor, alignment, { width, height, top: topOf(plate) }),
    ...drawn,
  });
  return { background: ground === undefined ? 'removed' : 'original' };
}

/** The person on a transparent plate of `size`, or on a plate that shows the photograph and has it as its ground. */
function layersOf(
  framed: FramedPortrait,
  segmenter: Network,
  { size, background }: { size: { width: number; height: number }; background: PhotoBackground | undefined },
): { plate: Picture; mesh: FaceMesh; ground?: Picture } {
  const there = mapMesh(framed.mesh, ({ x, y }) => ({ x: x - framed.x, y: y - framed.y }), 1);
  const { picture, mesh: inPicture } = areLipsParted(framed.picture, there)
    ? closeLips(framed.picture, there)
    : { picture: framed.picture, mesh: there };
  const mesh = mapMesh(inPicture, ({ x, y }) => ({ x: x + framed.x, y: y + framed.y }), 1);
  const person = cutOutPerson(picture, inPicture, segmenter);
  const wanted = background ?? (isHeadCut(person, inPicture) ? 'original' : 'removed');
  if (wanted === 'removed' || isCutOut(picture)) return { plate: layOnPlate(person, framed, size), mesh };
  const { moving, still } = separate(picture, person);
  return { plate: moving, mesh: inPicture, ground: still };
}

/** The face of a portrait, and why it cannot become a presenter. `points`: corrected by the user; the portrait is then judged by them. */
function look(
  { detector, mesh: meshNetwork, iris }: PortraitNetworks,
  seen: Picture,
  points?: PhotoPackOptions['points'],
): { mesh: FaceMesh | undefined; problems: string[] } {
  const faces = detectFaces(detector, seen).sort((a, b) => b.size - a.size);
  const [first] = faces;
  const found = first === undefined ? undefined : readMesh({ mesh: meshNetwork, iris }, seen, first);
  const mesh = found === undefined || points === undefined ? found : moveMesh(found, points, seen);
  return { mesh, problems: judgeFaces(faces, mesh, { picture: seen, isPutRight: points !== undefined }) };
}

/** The donor with the closest cheek colour. */
async function nearestDonor(folders: readonly string[], mesh: FaceMesh, seen: Picture): Promise<Donor> {
  const radius = Math.max(2, Math.round(mesh.irises[0].radius));
  const cheeks = CHEEKS.map((i) => meanAround(seen, mesh.points[i]!, radius));
  const own = [0, 1, 2].map((c) => (cheeks[0]![c]! + cheeks[1]![c]!) / 2);
  const distances = await Promise.all(
    folders.map(async (folder) => {
      const colour = await cheekColour(folder, await readDonorManifest(folder));
      return { folder, away: Math.hypot(...colour.map((value, c) => value - own[c]!)) };
    }),
  );
  const [nearest] = distances.sort((a, b) => a.away - b.away);
  if (nearest === undefined) throw new RangeError('expected a donor, got none');
  return readDonor(nearest.folder);
}

function meshOf(networks: PortraitNetworks, donor: Donor): FaceMesh {
  const { eye, head } = donor.manifest;
  const [a, b] = eye.eyes.map(({ x, y }) => ({ x: eye.box[0] + x, y: eye.box[1] + y }));
  const [leftEye, rightEye] = a!.x < b!.x ? [a!, b!] : [b!, a!];
  const middle = (leftEye.y + rightEye.y) / 2;
  // Where a detector would put the box: from the brows to the chin.
  const size = 1.4 * (head.chinY - middle);
  const face = { centre: { x: (leftEye.x + rightEye.x) / 2, y: (middle + head.chinY) / 2 }, size, leftEye, rightEye };
  return readMesh(networks, donor.onGround, { ...face, score: 1 });
}
