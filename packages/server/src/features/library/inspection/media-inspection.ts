import { open } from 'node:fs/promises';
import { fileTypeFromFile } from 'file-type';
import type { MediaFacts } from './media-files.js';
import { RefusedFile } from './refused-file.js';

const SNIFF_BYTES = 4096;

/**
 * Detects the type of an uploaded file by its bytes, and whether slides can use it. Runs in a separate process. Throws
 * {@link RefusedFile}.
 */
export async function inspectMedia({ file, folder }: { file: string; folder: string }): Promise<MediaFacts> {
  const mime = await sniff(file);
  // Each module loads only its own codecs.
  if (!mime.startsWith('image/')) return (await import('./clip-inspection.js')).readClip(file, folder, mime);
  const { readPicture } = await import('./picture-inspection.js');
  return readPicture(file, folder);
}

async function sniff(file: string): Promise<string> {
  const head = await readHead(file);
  if (head.length === 0) throw new RefusedFile('the file is empty');
  const found = await fileTypeFromFile(file);
  if ((found === undefined || found.mime === 'application/xml') && /<svg[\s>]/i.test(head.toString('utf8'))) {
    return 'image/svg+xml';
  }
  // Sun's format, which the library does not know.
  const mime: string = found?.mime ?? (head.toString('latin1', 0, 4) === '.snd' ? 'audio/basic' : '');
  if (/^(image|video|audio)\//.test(mime) || /^application\/(?:ogg|mxf|vnd\.ms-asf)$/.test(mime)) return mime;
  throw new RefusedFile(
    `the file is ${mime === '' ? 'of an unknown type' : mime}; expected a picture, a video or a sound`,
  );
}

async function readHead(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
