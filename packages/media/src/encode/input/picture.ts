import type { RgbaImage, YuvaFrame, YuvFrame } from '@figurehead/presenter/frame';
import { loadSharp } from '../../sharp.js';

/**
 * Colours of a frame as sRGB, with transparency if present; from BT.709 limited range, chroma interpolated between
 * left-sited samples.
 */
export function yuvToRgba(frame: YuvFrame | YuvaFrame): RgbaImage {
  const { width, height, y: lumas, u: blues, v: reds, yStride, uvStride } = frame;
  const alphas = 'a' in frame ? frame.a : undefined;
  const data = new Uint8ClampedArray(width * height * 4);
  for (let row = 0; row < height; row++) {
    const luma = row * yStride;
    const chroma = (row >> 1) * uvStride;
    let out = row * width * 4;
    for (let column = 0; column < width; column++, out += 4) {
      const y = (lumas[luma + column]! - 16) * (255 / 219);
      const u = blues[chroma + (column >> 1)]! - 128;
      const v = reds[chroma + (column >> 1)]! - 128;
      data[out] = y + v * RED_OF_V;
      data[out + 1] = y - u * GREEN_OF_U - v * GREEN_OF_V;
      data[out + 2] = y + u * BLUE_OF_U;
      data[out + 3] = alphas === undefined ? 255 : alphas[luma + column]!;
    }
  }
  return { width, height, data };
}

// ITU-R BT.709: Kr = 0.2126, Kb = 0.0722; chroma spans 224 steps.
const RED_OF_V = (2 * (1 - 0.2126) * 255) / 224;
const BLUE_OF_U = (2 * (1 - 0.0722) * 255) / 224;
const GREEN_OF_V = (RED_OF_V * 0.2126) / 0.7152;
const GREEN_OF_U = (BLUE_OF_U * 0.0722) / 0.7152;

/**
 * A frame as a picture file, at most `maxWidth` px wide (640 by default, never enlarged). Transparency is preserved in
 * WebP and PNG and white in a JPEG. `fast` spends less time on a WebP, which is then about a tenth larger.
 */
export async function encodePicture(
  frame: YuvFrame | YuvaFrame,
  format: 'jpeg' | 'webp' | 'png',
  options: { readonly maxWidth?: number; readonly quality?: number; readonly fast?: boolean } = {},
): Promise<Buffer> {
  const sharp = await loadSharp();
  const rgba = yuvToRgba(frame);
  const whole = sharp(rgba.data, { raw: { width: rgba.width, height: rgba.height, channels: 4 } });
  // Shrunk with its alpha, so that hidden pixels do not bleed into the edges.
  const image = ('a' in frame ? whole : whole.removeAlpha()).resize({
    width: options.maxWidth ?? 640,
    withoutEnlargement: true,
  });
  const quality = options.quality ?? 82;
  switch (format) {
    case 'jpeg':
      return image.flatten({ background: '#ffffff' }).jpeg({ quality }).toBuffer();
    case 'webp':
      return image.webp({ quality, effort: options.fast ? 1 : 4 }).toBuffer();
    case 'png':
      return image.png().toBuffer();
  }
}
