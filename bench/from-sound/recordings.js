/** Recorded speech with the times of its phones. */
import { readdir, readFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { createSpeech, decodeAudio } from '../../packages/media/dist/index.js';
import { heardSpan, levelsOf } from '../../packages/media/dist/speech/recording/levels.js';

const SOUND = /\.(wav|flac|mp3|opus)$/u;
const RATE = 48_000;

/**
 * @typedef {{ text: string, start: number, end: number }} Interval
 * @typedef {{ name: string, samples: Float32Array, isAligned: boolean, phones: readonly { phone: string, start: number, end: number }[],
 *   words?: readonly Interval[], withText?: import('../../packages/media/dist/index.js').Marks }} Recording times in samples; `words` of a
 *   labelled recording, and what the engine finds with them as its script
 */

/**
 * Every recording of a folder with a `.TextGrid` (Praat) that has a tier of phones and perhaps one of words, or with a `.txt` of its text, which
 * the engine aligns as it does for a slide; the first line of the text may be `# LOCALE`. Pauses at both ends are cut.
 */
export async function readRecordings(/** @type {string} */ folder) {
  /** @type {Recording[]} */
  const out = [];
  const files = new Set(await readdir(folder));
  const speech = createSpeech({ threads: 1 });
  const aligned = (/** @type {string} */ file, /** @type {string} */ script, language = 'en-US') =>
    speech.recorded(join(folder, file), { script, language, signal: new AbortController().signal });
  try {
    for (const file of [...files].sort()) {
      const { name } = parse(file);
      if (!SOUND.test(file)) continue;
      if (files.has(`${name}.TextGrid`)) {
        const tiers = tiersOf(await readFile(join(folder, `${name}.TextGrid`), 'utf8'));
        const phones = tiers.filter(({ name }) => /phone/iu.test(name)).flatMap(({ intervals }) => intervals);
        const words = tiers.find(({ name }) => /word/iu.test(name))?.intervals;
        const raw = await decodeAudio(join(folder, file), { maxSeconds: 3600 });
        const from = heardSpan(levelsOf(raw), raw.length)?.from ?? 0;
        const moved = (/** @type {Interval} */ { text, start, end }) => ({
          text,
          start: start - from,
          end: end - from,
        });
        const { samples, marks } = await aligned(file, words?.map(({ text }) => text).join(' ') ?? '');
        out.push({
          name,
          samples,
          phones: phones.map(moved).map(({ text, ...times }) => ({ phone: text, ...times })),
          isAligned: false,
          ...(words && { words: words.map(moved), withText: marks }),
        });
      } else if (files.has(`${name}.txt`)) {
        const text = await readFile(join(folder, `${name}.txt`), 'utf8');
        const [, locale, script = text] = /^# (\S+)\n([\s\S]*)$/u.exec(text) ?? [];
        const { samples, marks } = await aligned(file, script, locale);
        out.push({ name, samples, phones: marks.phonemes.filter(({ phone }) => phone !== ''), isAligned: true });
      }
    }
  } finally {
    await speech.close();
  }
  return out;
}

/** Intervals with a text of the tiers of a TextGrid (long or short format). @returns {{ name: string, intervals: Interval[] }[]} */
function tiersOf(/** @type {string} */ grid) {
  const tokens =
    grid.replace(/\[\d*\]:?/gu, '').match(/"(?:[^"]|"")*"|<exists>|(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?/gu) ?? [];
  const body = tokens.slice(tokens.indexOf('<exists>') + 1);
  const tiers = [];
  let at = 1;
  for (let tier = 0; tier < Number(body[0]); tier++) {
    const [kind, name, , , count] = body.slice(at, at + 5);
    at += 5;
    const isInterval = kind === '"IntervalTier"';
    const width = isInterval ? 3 : 2;
    const intervals = [];
    for (let item = 0; item < Number(count); item++, at += width) {
      const [start, end, label] = body.slice(at, at + 3);
      const text = (label ?? '').slice(1, -1).trim();
      if (isInterval && text !== '') intervals.push({ text, start: Number(start) * RATE, end: Number(end) * RATE });
    }
    tiers.push({ name: name ?? '', intervals });
  }
  return tiers;
}
