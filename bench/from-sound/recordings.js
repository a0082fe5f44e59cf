/** Recorded speech with the times of its phones. */
import { readdir, readFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { decodeAudio } from '../../packages/media/dist/index.js';
import { EspeakSynthesizer } from '../../packages/media/dist/speech/engines/espeak/espeak.js';

const SOUND = /\.(wav|flac|mp3|opus)$/u;
const RATE = 48_000;

/**
 * @typedef {{ name: string, samples: Float32Array, isAligned: boolean,
 *   phones: readonly { phone: string, start: number, end: number }[] }} Recording times in samples
 */

/**
 * Every recording of a folder with a `.TextGrid` that has a tier of phones (Praat), or with a `.txt` of its text, which the engine
 * aligns; the first line of the text may be `# LOCALE`.
 */
export async function readRecordings(/** @type {string} */ folder) {
  /** @type {Recording[]} */
  const out = [];
  const files = new Set(await readdir(folder));
  const espeak = new EspeakSynthesizer({ threads: 1 });
  try {
    for (const file of [...files].sort()) {
      const { name } = parse(file);
      if (!SOUND.test(file)) continue;
      const samples = await decodeAudio(join(folder, file), { maxSeconds: 3600 });
      if (files.has(`${name}.TextGrid`)) {
        const phones = phonesOf(await readFile(join(folder, `${name}.TextGrid`), 'utf8'));
        out.push({ name, samples, phones, isAligned: false });
      } else if (files.has(`${name}.txt`)) {
        const text = await readFile(join(folder, `${name}.txt`), 'utf8');
        out.push({ name, samples, phones: await aligned(espeak, text, samples), isAligned: true });
      }
    }
  } finally {
    await espeak.close();
  }
  return out;
}

/** Phones of all tiers of a TextGrid (long or short format) whose name contains "phone". */
export function phonesOf(/** @type {string} */ grid) {
  const tokens =
    grid.replace(/\[\d*\]:?/gu, '').match(/"(?:[^"]|"")*"|<exists>|(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?/gu) ?? [];
  const body = tokens.slice(tokens.indexOf('<exists>') + 1);
  const phones = [];
  let at = 1;
  for (let tier = 0; tier < Number(body[0]); tier++) {
    const [kind, name, , , count] = body.slice(at, at + 5);
    at += 5;
    const isInterval = kind === '"IntervalTier"';
    const width = isInterval ? 3 : 2;
    for (let item = 0; item < Number(count); item++, at += width) {
      if (!isInterval || !/phone/iu.test(name ?? '')) continue;
      const [start, end, text] = body.slice(at, at + 3);
      const phone = (text ?? '').slice(1, -1).trim();
      if (phone !== '') phones.push({ phone, start: Number(start) * RATE, end: Number(end) * RATE });
    }
  }
  return phones;
}

async function aligned(
  /** @type {EspeakSynthesizer} */ espeak,
  /** @type {string} */ text,
  /** @type {Float32Array} */ samples,
) {
  const [, locale = 'en-US', said = text] = /^# (\S+)\n([\s\S]*)$/u.exec(text) ?? [];
  const order = { voice: '', speed: 1, tokens: said.trim().split(/\s+/u) };
  const { phones } = await espeak.align({ order, locale, samples }, new AbortController().signal);
  return phones.filter(({ phone }) => phone !== '');
}
