import type { CanvasObject } from '@figurehead/contract';
import sharp from 'sharp';

/** A box in canvas units. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** How much sharper another corner may be than one that is preferred. */
const PREFERENCE = 0.3;
/** Sharpness of a corner that is full of text; a gradient has half of one. */
const FULL = 8;

/**
 * A round presenter in the emptiest corner of a page: where its picture has the fewest edges and `objects` cover least.
 * In the lower right one if no other is clearly emptier.
 */
export async function avatarObject(
  picture: Buffer | undefined,
  objects: readonly CanvasObject[],
  canvas: { readonly width: number; readonly height: number },
): Promise<CanvasObject> {
  const side = Math.round(Math.min(canvas.width, canvas.height) * 0.34);
  const margin = Math.round(side * 0.08);
  const [right, bottom] = [canvas.width - side - margin, canvas.height - side - margin];
  const small = picture && (await sharp(picture).resize(canvas.width, canvas.height).greyscale().png().toBuffer());
  const corners = [
    { left: right, top: bottom },
    { left: margin, top: bottom },
    { left: right, top: margin },
    { left: margin, top: margin },
  ].map(async (corner, index) => {
    const box = { ...corner, width: side, height: side };
    // Statistics are of the input alone, so the corner is one.
    const cut = small && (await sharp(small).extract(box).png().toBuffer());
    const sharpness = cut === undefined ? 0 : (await sharp(cut).stats()).sharpness;
    return { box, crowding: sharpness + overlap(objects, box) * FULL + index * PREFERENCE };
  });
  const [best] = (await Promise.all(corners)).sort((a, b) => a.crowding - b.crowding);
  // A disc as background: without it the bust would have a straight lower cut.
  return { type: 'avatar', ...best?.box, crop: 'circle', fill: '#e5e7eb' };
}

/** Share of a box that objects cover. */
function overlap(objects: readonly CanvasObject[], box: Box): number {
  const shares = objects.map(({ left = 0, top = 0, width = 0, height = 0 }: Partial<Box>) => {
    const [from, to] = [Math.max(left, box.left), Math.min(left + width, box.left + box.width)];
    const [upper, lower] = [Math.max(top, box.top), Math.min(top + height, box.top + box.height)];
    return (Math.max(0, to - from) * Math.max(0, lower - upper)) / (box.width * box.height);
  });
  return shares.reduce((sum, share) => sum + share, 0);
}
