import { SpeechError } from '../contract.js';

/** The letters of distinguished scripts, by their Unicode names; others count as readable. */
const LETTERS = {
  Latin: /\p{Script=Latin}/gu,
  Cyrillic: /\p{Script=Cyrillic}/gu,
  Greek: /\p{Script=Greek}/gu,
  Arabic: /\p{Script=Arabic}/gu,
  Hebrew: /\p{Script=Hebrew}/gu,
  Armenian: /\p{Script=Armenian}/gu,
  Georgian: /\p{Script=Georgian}/gu,
  Devanagari: /\p{Script=Devanagari}/gu,
  Bengali: /\p{Script=Bengali}/gu,
  Tamil: /\p{Script=Tamil}/gu,
  Telugu: /\p{Script=Telugu}/gu,
  Kannada: /\p{Script=Kannada}/gu,
  Malayalam: /\p{Script=Malayalam}/gu,
  Gujarati: /\p{Script=Gujarati}/gu,
  Gurmukhi: /\p{Script=Gurmukhi}/gu,
  Thai: /\p{Script=Thai}/gu,
  Han: /\p{Script=Han}/gu,
  Hiragana: /\p{Script=Hiragana}/gu,
  Katakana: /\p{Script=Katakana}/gu,
  Hangul: /\p{Script=Hangul}/gu,
} as const;
type Script = keyof typeof LETTERS;
const SCRIPTS = Object.keys(LETTERS) as Script[];

/** The scripts of a language by the code that CLDR gives it. */
const WRITTEN_IN: Readonly<Record<string, readonly Script[]>> = {
  ...{ Jpan: ['Han', 'Hiragana', 'Katakana'], Kore: ['Hangul', 'Han'], Hans: ['Han'], Hant: ['Han'] },
  ...{ Guru: ['Gurmukhi'], Hebr: ['Hebrew'], Deva: ['Devanagari'], Mlym: ['Malayalam'], Knda: ['Kannada'] },
  ...{ Gujr: ['Gujarati'], Latn: ['Latin'], Cyrl: ['Cyrillic'], Grek: ['Greek'], Arab: ['Arabic'], Armn: ['Armenian'] },
  ...{ Geor: ['Georgian'], Beng: ['Bengali'], Taml: ['Tamil'], Telu: ['Telugu'] },
};

/**
 * Throws a {@link SpeechError} `bad_option` for a text whose letters are mostly of a script that a voice cannot read: it would speak nonsense. Latin
 * letters, of names for example, are read in every language.
 * @param options.voice in messages. @param options.locale that it reads, BCP 47.
 */
export function assertReadable(
  text: string,
  { voice, locale }: { readonly voice: string; readonly locale: string },
): void {
  const code = new Intl.Locale(locale).maximize().script;
  const own = code === undefined ? undefined : WRITTEN_IN[code];
  const counts = SCRIPTS.map((script) => ({ script, count: text.match(LETTERS[script])?.length ?? 0 }));
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  const foreign = counts.filter(({ script }) => script !== 'Latin' && !(own ?? SCRIPTS).includes(script));
  const [most] = foreign.toSorted((a, b) => b.count - a.count);
  if (most === undefined || foreign.reduce((sum, { count }) => sum + count, 0) * 2 <= all) return;
  const language = new Intl.DisplayNames('en', { type: 'language' }).of(locale);
  throw new SpeechError(
    'bad_option',
    `the voice ${voice} reads ${language}, and cannot speak a sentence in ${most.script} script: “${text.slice(0, 60)}”; choose a voice of its language, or mark the language with <lang>`,
  );
}
