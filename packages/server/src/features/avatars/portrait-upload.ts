import { invalidFields } from '../../kernel/http/error.js';

/** Magic bytes of the accepted picture formats. */
const SIGNATURES: readonly { readonly type: string; readonly matches: (bytes: Buffer) => boolean }[] = [
  { type: 'png', matches: (bytes) => bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')) },
  { type: 'jpeg', matches: (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])) },
  {
    type: 'webp',
    matches: (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  },
];

/**
 * The bytes of a portrait's data URL. Throws a 400 on `image.data` unless it is a PNG, JPEG or WebP; does not decode
 * it.
 */
export function portraitBytes(dataUrl: string): Buffer {
  const text = dataUrl.slice(dataUrl.indexOf(',') + 1).trim();
  // Node's decoder skips invalid base64, so a text would become a short, broken picture.
  if (!/^[A-Za-z0-9+/\s]+={0,2}$/.test(text)) throw refused('is not base64');
  const bytes = Buffer.from(text, 'base64');
  if (!SIGNATURES.some(({ matches }) => matches(bytes))) throw refused('is not a PNG, JPEG or WebP picture');
  return bytes;
}

function refused(message: string): Error {
  return invalidFields([{ field: 'image.data', message }]);
}
