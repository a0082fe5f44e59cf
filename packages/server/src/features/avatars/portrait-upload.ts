import { fileTypeFromBuffer } from 'file-type';
import { invalidFields } from '../../kernel/errors.js';

/**
 * The bytes of a portrait's data URL, whatever type that names. Throws a 400 on `image.data` unless they are a PNG, JPEG or WebP; does not
 * decode them.
 */
export async function portraitBytes(dataUrl: string): Promise<Buffer> {
  const text = dataUrl.slice(dataUrl.indexOf(',') + 1).trim();
  // Node's decoder skips invalid base64, so a text would become a short, broken picture.
  if (!/^[A-Za-z0-9+/\s]+={0,2}$/.test(text)) throw refused('is not base64');
  const bytes = Buffer.from(text, 'base64');
  const found = await fileTypeFromBuffer(bytes);
  if (found && /^image\/(?:jpeg|a?png|webp)$/.test(found.mime)) return bytes;
  const kind = found?.mime.startsWith('image/') ? ` but ${found.ext.toUpperCase()}; save it as JPEG` : '';
  throw refused(`is not a PNG, JPEG or WebP picture${kind}`);
}

function refused(message: string): Error {
  return invalidFields([{ field: 'image.data', message }]);
}
