import type { DecodedPicture, PictureDecoder } from '../pack/files.js';

/**
 * Decodes a picture by the browser. Exact for opaque pictures, such as those of an archive; a 2D canvas stores premultiplied colours, so
 * transparent ones lose up to a level. Never by `ImageDecoder`, whose colours differ between browsers.
 */
export const decodeByBrowser: PictureDecoder['decode'] = async (bytes, _size, channels): Promise<DecodedPicture> => {
  const bitmap = await createImageBitmap(new Blob([bytes as Uint8Array<ArrayBuffer>]), {
    colorSpaceConversion: 'none',
  });
  const { width, height } = bitmap;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  const { data: pixels } = context.getImageData(0, 0, width, height);
  if (channels === 4) return { width, height, channels, data: new Uint8Array(pixels.buffer) };
  const data = new Uint8Array(width * height * channels);
  for (let from = 0, to = 0; from < pixels.length; from += 4) {
    for (let channel = 0; channel < channels; channel++) data[to++] = pixels[from + channel]!;
  }
  return { width, height, channels, data };
};
