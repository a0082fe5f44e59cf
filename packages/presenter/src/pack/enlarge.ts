import type { DrawingKernel } from '../drawing/kernel.js';
import { type Plane, resamplePlane } from '../drawing/resample.js';
import type { DecodedPicture } from './files.js';

/**
 * A picture at a larger size, bilinear: the kernel's sharper filter is for luma, whose range ends at 235. The colours of one with alpha are multiplied by it meanwhile, so that what is invisible does not
 * tint an edge. Equal byte for byte wherever it runs.
 * @param scale px of the result per px of the picture
 */
export function enlarged(
  kernel: DrawingKernel,
  picture: DecodedPicture,
  { scale, ...size }: { readonly width: number; readonly height: number; readonly scale: number },
): DecodedPicture {
  const { arena } = kernel;
  const { channels, data } = picture;
  const count = picture.width * picture.height;
  const how = { scale, originX: 0, originY: 0, sourceX: 0, sourceY: 0, filter: 'soft' } as const;
  const out = new Uint8Array(size.width * size.height * channels);
  const from: Plane = {
    at: arena.allocate(count + 64),
    stride: picture.width,
    width: picture.width,
    height: picture.height,
  };
  const to: Plane = { at: arena.allocate(size.width * size.height + 64), stride: size.width, ...size };
  for (let channel = 0; channel < channels; channel++) {
    const plane = arena.bytes(from.at, count);
    const isColour = channels === 4 && channel < 3;
    for (let i = 0, at = channel; i < count; i++, at += channels) {
      plane[i] = isColour ? Math.round((data[at]! * data[at - channel + 3]!) / 255) : data[at]!;
    }
    resamplePlane(kernel, from, to, how);
    const large = arena.bytes(to.at, size.width * size.height);
    for (let i = 0, at = channel; i < large.length; i++, at += channels) out[at] = large[i]!;
  }
  arena.free(from.at);
  arena.free(to.at);
  if (channels === 4) divideByAlpha(out);
  return { ...size, channels, data: out };
}

function divideByAlpha(data: Uint8Array): void {
  for (let i = 0; i < data.length; i += 4) {
    const alpha = data[i + 3]!;
    if (alpha === 0 || alpha === 255) continue;
    for (let k = i; k < i + 3; k++) data[k] = Math.min(255, Math.round((data[k]! * 255) / alpha));
  }
}
