import { SpeechError } from '../contract.js';

/** Distinguished scripts, by their Unicode names; others count as readable. */
const SCRIPTS = [
  ...['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Armenian', 'Georgian', 'Devanagari', 'Bengali', 'Tamil'],
  ...['Telugu', 'Kannada', 'Malayalam', 'Gujarati', 'Gurmukhi', 'Thai', 'Han', 'Hiragana', 'Katakana', 'Hangul'],
] as const;
type Script = (typeof SCRIPTS)[number];

const LETTERS = SCRIPTS.map((script) => [script, new RegExp(`\\p{Script=${script}}`, 'gu')] as const);

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
  const counts = LETTERS.map(([script, letters]) => ({ script, count: text.match(letters)?.length ?? 0 }));
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
