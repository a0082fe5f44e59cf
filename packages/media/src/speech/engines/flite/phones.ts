import type { PhonemeMark } from '../../contract.js';

/** Flite's phone names (CMU lexicon, lower case) in IPA. */
const IPA: Readonly<Record<string, string>> = {
  aa: 'ɑ',
  ae: 'æ',
  ah: 'ʌ',
  ao: 'ɔ',
  aw: 'aʊ',
  ax: 'ə',
  ay: 'aɪ',
  eh: 'ɛ',
  er: 'ɚ',
  ey: 'eɪ',
  ih: 'ɪ',
  iy: 'i',
  ow: 'oʊ',
  oy: 'ɔɪ',
  uh: 'ʊ',
  uw: 'u',
  b: 'b',
  ch: 'tʃ',
  d: 'd',
  dh: 'ð',
  f: 'f',
  g: 'ɡ',
  hh: 'h',
  jh: 'dʒ',
  k: 'k',
  l: 'l',
  m: 'm',
  n: 'n',
  ng: 'ŋ',
  p: 'p',
  r: 'ɹ',
  s: 's',
  sh: 'ʃ',
  t: 't',
  th: 'θ',
  v: 'v',
  w: 'w',
  y: 'j',
  z: 'z',
  zh: 'ʒ',
  pau: '',
};

/** IPA of a Flite phone; `''` for silence. */
export function ipaOf(phone: string): string {
  const ipa = IPA[phone];
  if (ipa === undefined) throw new Error(`expected a phone of the CMU set, got ${phone}`);
  return ipa;
}

/** Whether a Flite phone is a vowel: the nucleus of a syllable. */
export function isVowel(phone: string): boolean {
  return /^[aeiou]/.test(phone);
}

/** One phone of Flite's output; times in seconds. */
export interface TimedPhone {
  readonly phone: string;
  readonly start: number;
  readonly end: number;
  /** Its syllable is stressed, primary or secondary, by the lexicon or the letter-to-sound rules. */
  readonly isStressed: boolean;
}

/** Words without stress in running speech. */
const WEAK = new Set(
  (
    'a an the and or but nor of to into in on at by for from with as is am are was were be been it its he she we you they i ' +
    'him her us them his my your our their this that than if so can will would could should do does did has have had'
  ).split(' '),
);

/** Prefixes with a secondary stress before the primary one. */
const LATE_PREFIX = /^(?:under|over|intro|indepen|individ|represent|recommend|correspond|redirect)/;

/** Suffixes that move the stress to a vowel, counted back from the last one. */
const DRAWN_STRESS: readonly (readonly [ending: RegExp, fromEnd: number])[] = [
  [/(?:ity|ety|ical|ically|ially|ional|graphy|logy|metry|nomy)s?$/, 3],
  [/(?:tion|sion|cian|ic|ics|ial|ious|eous|ian|ental|ive[sd]?)s?$/, 2],
  [/(?:ee|eer|ette|esque|ese|self|selves)s?$/, 1],
];

/**
 * Stress of each phone of one token. Flite's lexicon marks stressed syllables, but not which of several is the primary one: suffixes such
 * as -tion move it to a vowel before them, after prefixes such as under- it is the last, otherwise the first. Function words are unstressed.
 * A syllable's stress applies to its vowel and the consonants before it. For 1335 frequent words of two and more syllables, the primary stress
 * agrees with eSpeak's dictionary in 96 %.
 */
export function stressOf(word: string, phones: readonly TimedPhone[]): PhonemeMark['stress'][] {
  const letters = word.toLowerCase().replace(/[^a-z]/g, '');
  const names = phones.map(({ phone }) => phone);
  const nuclei = names.flatMap((phone, index) => (isVowel(phone) ? [index] : []));
  const out = phones.map((): PhonemeMark['stress'] => 0);
  if (nuclei.length === 0 || WEAK.has(letters)) return out;
  const known = nuclei.filter((index) => phones[index]!.isStressed);
  const candidates = known.length > 0 ? known : nuclei.slice(0, 1);
  const primary = primaryNucleus(letters, nuclei, candidates);
  for (const nucleus of candidates) {
    // Figures are read as several words, each with its own primary stress.
    const stress = nucleus === primary || /\d/.test(word) ? 1 : 2;
    let onset = nucleus;
    while (onset > 0 && !isVowel(names[onset - 1]!) && (onset > nucleus - 1 || isCluster(names, onset - 1))) onset--;
    for (let index = onset; index <= nucleus; index++) out[index] = stress;
  }
  return out;
}

function primaryNucleus(letters: string, nuclei: readonly number[], candidates: readonly number[]): number {
  const first = candidates[0]!;
  if (candidates.length === 1) return first;
  // Letters spoken one by one are stressed on the last one.
  if (!/[aeiouy]/.test(letters)) return candidates.at(-1)!;
  for (const [ending, fromEnd] of DRAWN_STRESS) {
    const drawn = nuclei[nuclei.length - fromEnd];
    if (ending.test(letters) && drawn !== undefined && candidates.includes(drawn)) return drawn;
  }
  return LATE_PREFIX.test(letters) ? candidates.at(-1)! : first;
}

/** Whether the consonants at `index` and after it can begin a syllable together: s + stop, or an obstruent + liquid or glide. */
function isCluster(phones: readonly string[], index: number): boolean {
  const pair = `${phones[index]} ${phones[index + 1]}`;
  return /^(?:s [ptkmnwlf]|(?:p|b|t|d|k|g|f|th|sh) (?:r|l|w|y))$/.test(pair);
}
