/** A portrait ready to send: a data URL that fits into a request, and a URL for displaying it. */
export interface Portrait {
  readonly name: string;
  readonly data: string;
  /** Object URL; the caller revokes it. */
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

/** A request may be 5 MB, and base64 encodes three bytes in four. */
const MAX_BYTES = 3_200_000;
/** A larger picture does not improve face detection, px of the longer side. */
const MAX_PX = 2400;

/** Reads a photo, upright and small enough for a request. @throws when the browser cannot read it. */
export async function readPortrait(file: File): Promise<Portrait> {
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch (error) {
    throw new Error('This file cannot be read as a picture. Choose a JPEG, PNG or WebP.', { cause: error });
  }
  const { width, height } = bitmap;
  const scale = Math.min(1, MAX_PX / Math.max(width, height));
  const fits = scale === 1 && file.size <= MAX_BYTES && /^image\/(png|jpeg|webp)$/.test(file.type);
  const content = fits ? file : await drawn(bitmap, scale);
  bitmap.close();
  return {
    name: file.name.slice(0, 200) || 'portrait',
    data: await dataUrl(content),
    url: URL.createObjectURL(content),
    width,
    height,
  };
}

async function drawn(bitmap: ImageBitmap, scale: number): Promise<Blob> {
  const surface = new OffscreenCanvas(Math.round(bitmap.width * scale), Math.round(bitmap.height * scale));
  const context = surface.getContext('2d');
  if (!context) throw new Error('This browser cannot shrink the photo. Choose a smaller one.');
  context.drawImage(bitmap, 0, 0, surface.width, surface.height);
  return surface.convertToBlob({ type: 'image/jpeg', quality: 0.92 });
}

function dataUrl(content: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('The photo could not be read.'));
    reader.readAsDataURL(content);
  });
}
