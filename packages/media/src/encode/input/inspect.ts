import { loadSharp } from '../../sharp.js';
import { MediaError, probe } from './decode.js';
import { openVideo } from './video-reader.js';

/** Largest picture that scenes draw, px. */
const MAX_PIXELS = 100_000_000;
const DECODE_SECONDS = 10;

/**
 * Checks media of a document as rendering will use them: decodes a picture, the first frame of a clip, the headers of a
 * sound. Throws a {@link MediaError} for unusable media.
 */
export async function requireDecodable(what: 'picture' | 'clip' | 'sound', medium: Uint8Array | string): Promise<void> {
  if (typeof medium !== 'string') return inspectPicture(medium);
  if (what === 'sound') {
    const { audio } = await probe(medium);
    if (audio === undefined) throw new MediaError('expected a file with sound, got pictures alone');
    return;
  }
  const reader = await openVideo(medium, { width: 64, height: 64 });
  try {
    await reader.frameAt(0);
  } finally {
    await reader.close();
  }
}

async function inspectPicture(bytes: Uint8Array): Promise<void> {
  const sharp = await loadSharp();
  try {
    await sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      .timeout({ seconds: DECODE_SECONDS })
      .resize(16, 16, { fit: 'fill' })
      .raw()
      .toBuffer();
  } catch (cause) {
    throw new MediaError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
