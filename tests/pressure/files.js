import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { runnerImport } from 'vite';
import { root } from '../../scripts/paths.js';

const BOUNDARY = 'figurehead-pressure-boundary';

/** A multipart body with one file, as `{headers, body}` for a call. */
export function upload(bytes, { name, type = 'application/octet-stream', fields = {} }) {
  const texts = Object.entries(fields).map(
    ([field, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`;
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: Buffer.concat([Buffer.from(texts.join('') + file), bytes, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]),
  };
}

/** A picture of one pixel, with a different colour for each number. */
export async function onePixel(number) {
  const background = { r: number % 256, g: (number >> 8) % 256, b: 99 };
  const bytes = await sharp({ create: { width: 1, height: 1, channels: 3, background } })
    .png()
    .toBuffer();
  return upload(bytes, { name: `pixel-${number}.png`, type: 'image/png' });
}

/** 2 kB of SVG that draws one path ten million times: each level uses the one below it ten times. */
export function nestedSvg() {
  const levels = Array.from({ length: 7 }, (_, level) => {
    const uses = Array.from({ length: 10 }, (_, n) => `<use href="#l${level}" x="${n}"/>`).join('');
    return `<g id="l${level + 1}">${uses}</g>`;
  });
  const path = '<path id="l0" d="M0 0c9 3 9 9 3 9z" stroke="#123" fill="#456" opacity=".5"/>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="2000"><defs>${path}${levels.join('')}</defs><use href="#l7"/></svg>`;
  return upload(Buffer.from(svg), { name: 'nested.svg', type: 'image/svg+xml' });
}

/** A real font: Lato, Latin, regular. */
export function font(number) {
  const path = join(root, 'node_modules', '@fontsource', 'lato', 'files', 'lato-latin-400-normal.woff2');
  return upload(readFileSync(path), {
    name: `font-${number}.woff2`,
    type: 'font/woff2',
    fields: { name: `Font ${number}` },
  });
}

/** A tone as a WAV file, mono, 16 bit, 22 050 samples per second; the server transcodes it. */
export function tone(seconds) {
  const samples = seconds * 22_050;
  const wav = Buffer.alloc(44 + samples * 2);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(36 + samples * 2, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(22_050, 24);
  wav.writeUInt32LE(44_100, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(samples * 2, 40);
  for (let n = 0; n < samples; n++) wav.writeInt16LE(Math.round(8000 * Math.sin(n / 8)), 44 + n * 2);
  return upload(wav, { name: 'tone.wav', type: 'audio/wav' });
}

/** A PDF of one page with one line of text. */
export function presentation() {
  const text = 'BT /F1 32 Tf 40 200 Td (One page.) Tj ET';
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 640 360]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${text.length}>>stream\n${text}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  let file = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj${object}endobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  const end = `${table}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF`;
  return upload(Buffer.from(file + end), { name: 'page.pdf', type: 'application/pdf' });
}

/** An .odp of four pages with this text as their speaker notes. */
export async function notes(text) {
  const { odp } = (await runnerImport(join(root, 'tests', 'fixtures', 'presentations', 'decks.ts'))).module;
  const pages = Array.from({ length: 4 }, (_, index) => ({ title: `Page ${index + 1}`, notes: text }));
  return upload(odp(pages), { name: 'notes.odp', type: 'application/vnd.oasis.opendocument.presentation' });
}

/** The body of `POST /avatars` with a portrait. */
export async function portrait(number) {
  const picture = join(root, 'presenters', 'packs', 'ava', 'base.webp');
  const bytes = await sharp(picture).flatten({ background: '#9fb0b8' }).jpeg({ quality: 88 }).toBuffer();
  const image = { name: 'portrait.jpeg', data: `data:image/jpeg;base64,${bytes.toString('base64')}` };
  return { name: `Portrait ${number}`, gender: 'female', image };
}
