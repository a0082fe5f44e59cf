/** Speech of the built-in engines with the class of each frame. */
import { readdirSync, readFileSync } from 'node:fs';
import { sampleSentence } from '../../packages/media/dist/index.js';
import { articulate, VISEMES } from '../../packages/presenter/dist/face/visemes.js';
import { between, shuffle } from './random.js';

/** The representative phone of each class, in the order of the fifteen visemes. */
export const PHONES = ['', 'b', 'f', 'ð', 'd', 'k', 'ʃ', 's', 'n', 'ɹ', 'a', 'ɛ', 'i', 'o', 'u'];

/** Languages whose reading corpus is spoken; of other languages, one sentence each. */
const READING = new URL('../../packages/media/data/reading/', import.meta.url);
/** Languages excluded from the training. */
const HELD_OUT = ['it', 'pl', 'fi', 'hi', 'ko'];
const WORDS_OF_A_TEXT = 14;

/** Syllables for invented words, so that all sounds occur next to each other; numbers and dates have few p, b and m. */
const ONSETS = 'p b m p b m t d n k g f v s sh l r w h th j pl br bl pr sm sp tr st kl gr fl'.split(' ');
const VOWELS = 'a e i o u a e i o u ee oo ai ou ea'.split(' ');
const CODAS = ['', '', '', '', ...'m n p b t k d l s r mp nd st f'.split(' ')];

/**
 * @typedef {{ samples: Float32Array, marks: readonly { phone: string, start: number, end: number }[], voice: string,
 *   language: string, isHeldOut: boolean }} Spoken
 */

/**
 * Speaks a number of texts with every voice of eSpeak and Flite whose language has texts.
 * @param {import('../../packages/media/dist/index.js').Speech} speech
 * @param {{ random: import('./random.js').Random, texts: number, english: number }} options
 */
export async function speakAll(speech, { random, texts, english }) {
  /** @type {Spoken[]} */
  const out = [];
  const lines = readingLines();
  const voices = await speech.voices();
  for (const { provider, voice, locale } of voices) {
    if (provider !== 'espeak' && provider !== 'flite') continue;
    const language = locale.split('-')[0] ?? locale;
    const count = provider === 'flite' ? english : lines.has(language) ? texts : 1;
    for (let at = 0; at < count; at++) {
      const text =
        at === 0
          ? sampleSentence(locale)
          : textOf(language === 'ru' || at % 2 === 0 ? (lines.get(language) ?? []) : [], random);
      const speed = between(random, 0.8, 1.2);
      const { samples, marks } = await speech.utter(provider, text, { voice, speed, stability: random(), fresh: true });
      const isHeldOut = HELD_OUT.includes(language);
      const own = provider === 'espeak' ? withClosures(marks.phonemes) : marks.phonemes;
      out.push({ samples, marks: own, voice: `${provider}:${voice}`, language, isHeldOut });
    }
  }
  return out;
}

/** Sounds that begin with a closed mouth, and the length of eSpeak's closure before the burst, in samples (40 ms, measured). */
const PLOSIVE = /^[pbtdkɡgcqɟɖʈɓɗ]/u;
const CLOSURE = 1920;

/** eSpeak's marks of plosives begin at the burst; this moves their start to the closure inside the previous mark. */
export function withClosures(/** @type {Spoken['marks']} */ marks) {
  const out = [...marks];
  for (const [at, mark] of marks.entries()) {
    if (!PLOSIVE.test(mark.phone)) continue;
    const before = out[at - 1];
    const earliest = before === undefined ? 0 : (before.start + before.end) / 2;
    const start = Math.max(mark.start - CLOSURE, earliest);
    out[at] = { ...mark, start };
    if (before !== undefined) out[at - 1] = { ...before, end: Math.min(before.end, start) };
  }
  return out;
}

/** The expected spoken lines of `packages/media/data/reading`, by language. */
function readingLines() {
  const files = readdirSync(READING).filter((file) => file.endsWith('.tsv'));
  return new Map(
    files.map((file) => {
      const rows = readFileSync(new URL(file, READING), 'utf8').split('\n');
      const lines = rows.filter((row) => !row.startsWith('#')).map((row) => row.split('\t')[2] ?? '');
      return [file.slice(0, -4), lines.filter((line) => line.trim() !== '')];
    }),
  );
}

/** Some consecutive lines as one sentence; invented words when there are no lines. */
function textOf(/** @type {readonly string[]} */ lines, /** @type {import('./random.js').Random} */ random) {
  const order = [...lines];
  shuffle(order, random);
  /** @type {string[]} */
  const words = [];
  for (const line of order) {
    if (words.length >= WORDS_OF_A_TEXT) break;
    words.push(...line.replace(/[.!?]$/u, ',').split(' '));
  }
  while (words.length < WORDS_OF_A_TEXT) words.push(noWord(random));
  return `${words.join(' ').replace(/,$/u, '')}.`;
}

function noWord(/** @type {import('./random.js').Random} */ random) {
  const one = (/** @type {readonly string[]} */ list) => list[Math.floor(random() * list.length)] ?? '';
  const syllables = Array.from(
    { length: 1 + Math.floor(2.5 * random()) },
    () => one(ONSETS) + one(VOWELS) + one(CODAS),
  );
  return syllables.join('');
}

/** The class of each frame, at its middle. */
export function classesOf(
  /** @type {Spoken['marks']} */ marks,
  /** @type {number} */ frames,
  /** @type {number} */ hop,
  stretch = 1,
) {
  const out = new Uint8Array(frames);
  for (const { phone, start, end } of marks) {
    let from = start;
    for (const { articulation, share } of articulate(phone)) {
      const to = from + share * (end - start);
      const first = Math.max(0, Math.ceil((from * stretch) / hop - 0.5));
      for (let frame = first; (frame + 0.5) * hop < to * stretch && frame < frames; frame++) {
        out[frame] = VISEMES.indexOf(articulation.viseme);
      }
      from = to;
    }
  }
  return out;
}
