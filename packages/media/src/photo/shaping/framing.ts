import type { Manifest } from '@figurehead/presenter';
import sharp from 'sharp';
import type { Picture, Point } from '../picture.js';
import { CHIN, type FaceMesh, mapMesh } from './mesh.js';
import { type CutSide, continueShoulder, cutShoulder } from './shoulders.js';

/** The part of a portrait that a plate shows, at the plate's scale. */
export interface FramedPortrait {
  readonly picture: Picture;
  /** Plate px of its first px. */
  readonly x: number;
  readonly y: number;
  /** The face in plate px. */
  readonly mesh: FaceMesh;
}

/** Width of the fade where the portrait's sides cut through the person, px. */
const SIDE_FADE = 36;

/**
 * Scales and places a portrait so that its face matches the donor's in size and position. It is moved down where
 * needed, so that its bottom reaches the plate's bottom.
 */
export async function framePortrait(
  portrait: Picture,
  mesh: FaceMesh,
  donor: { readonly manifest: Manifest; readonly mesh: FaceMesh },
): Promise<FramedPortrait> {
  const { width, height } = donor.manifest;
  const [own, there] = [measure(mesh), measure(donor.mesh)];
  const scale = there.size / own.size;
  const lowered = Math.max(0, height - (there.middle.y + (portrait.height - own.middle.y) * scale));
  const across = visible({ from: there.middle.x - own.middle.x * scale, scale, size: portrait.width, limit: width });
  const down = visible({
    from: there.middle.y - own.middle.y * scale + lowered,
    scale,
    size: portrait.height,
    limit: height,
  });
  const { data } = await sharp(portrait.data, { raw: { width: portrait.width, height: portrait.height, channels: 4 } })
    .extract({ left: across.first, top: down.first, width: across.count, height: down.count })
    .resize({ width: across.length, height: down.length, fit: 'fill', kernel: 'lanczos3' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const move = ({ x, y }: Point): Point => ({ x: across.move(x), y: down.move(y) });
  return {
    picture: { width: across.length, height: down.length, data },
    x: across.at,
    y: down.at,
    mesh: mapMesh(mesh, move, scale),
  };
}

/** The px along a side that are inside the plate, aligned to whole px, so that nothing is resampled twice. */
function visible({ from, scale, size, limit }: { from: number; scale: number; size: number; limit: number }): {
  first: number;
  count: number;
  at: number;
  length: number;
  move: (value: number) => number;
} {
  const first = Math.max(0, Math.floor(-from / scale));
  const end = Math.min(size, Math.ceil((limit - from) / scale));
  const at = Math.max(0, Math.round(from + first * scale));
  const length = Math.max(1, Math.min(limit - at, Math.round((end - first) * scale)));
  const factor = length / (end - first);
  return { first, count: end - first, at, length, move: (value) => (value - first + 0.5) * factor - 0.5 + at };
}

/** Centre between the eyes, and size of a face: the mean of its width at the eyes and its height to the chin. */
function measure({ irises: [left, right], points }: FaceMesh): { middle: Point; size: number } {
  const middle = { x: (left.x + right.x) / 2, y: (left.y + right.y) / 2 };
  const chin = points[CHIN]!;
  const across = Math.hypot(right.x - left.x, right.y - left.y);
  return { middle, size: Math.sqrt(across * Math.hypot(chin.x - middle.x, chin.y - middle.y)) };
}

/** Draws a cut-out person on a transparent plate. Shoulders that the portrait's sides cut are continued; what else they cut fades out. */
export function layOnPlate(person: Picture, at: Point, size: { width: number; height: number }): Picture {
  const data = new Uint8Array(size.width * size.height * 4);
  const plate = { ...size, data };
  const sides = [
    { side: 'left', isCut: at.x > 0 },
    { side: 'right', isCut: at.x + person.width < size.width },
  ] as const;
  const [left, right] = sides.map(({ side, isCut }) => (isCut ? cutShoulder(person, side) : undefined));
  // Not the shoulder itself beside its cut.
  const fadesUntil = (cut: CutSide | undefined) => (cut === undefined ? person.height : cut.from - 2 * SIDE_FADE);
  for (let row = 0; row < person.height; row++) {
    const from = row * person.width * 4;
    const to = ((at.y + row) * size.width + at.x) * 4;
    data.set(person.data.subarray(from, from + person.width * 4), to);
    const fadesLeft = sides[0].isCut && row < fadesUntil(left);
    const fadesRight = sides[1].isCut && row < fadesUntil(right);
    for (let i = 0; i < Math.min(SIDE_FADE, person.width); i++) {
      const first = to + i * 4 + 3;
      const last = to + (person.width - 1 - i) * 4 + 3;
      if (fadesLeft) data[first] = Math.round((data[first]! * i) / SIDE_FADE);
      if (fadesRight) data[last] = Math.round((data[last]! * i) / SIDE_FADE);
    }
  }
  if (left !== undefined) continueShoulder(plate, person, { side: 'left', cut: left, ...at });
  if (right !== undefined) continueShoulder(plate, person, { side: 'right', cut: right, ...at });
  return plate;
}

/** The first row of a plate that shows the person. */
export function topOf({ width, height, data }: Picture): number {
  for (let y = 0; y < height; y++) {
    let solid = 0;
    for (let x = 0; x < width; x++) if (data[(y * width + x) * 4 + 3]! > 128) solid++;
    // A few stray hairs do not count as the head.
    if (solid > 8) return y;
  }
  return 0;
}
