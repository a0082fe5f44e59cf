import { loadSharp } from '../../sharp.js';
import { probe } from './decode.js';
import { MediaError } from './media-error.js';
import { MAX_PIXELS, openPictureFile, refusalOfPicture } from './picture-file.js';
import { openVideo } from './video-reader.js';

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

async function inspectPicture(file: Uint8Array): Promise<void> {
  const sharp = await loadSharp();
  try {
    const { bytes } = await openPictureFile(file);
    await sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      .timeout({ seconds: DECODE_SECONDS })
      .resize(16, 16, { fit: 'fill' })
      .raw()
      .toBuffer();
  } catch (cause) {
    throw cause instanceof MediaError ? cause : new MediaError(await refusalOfPicture(file, cause), { cause });
  }
}
