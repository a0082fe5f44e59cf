import type { SpelledSymbol } from '../espeak/speaker.js';

/*
 * Networks that read phones get them from our own eSpeak NG, like all other engines: the same reading, pronunciations and SSML, in every language.
 * sherpa-onnx takes text only, so the phones are written as text in which each character is one of the network's symbols.
 */

/** How a network's phones are written: Piper's eSpeak IPA, or the alphabet of Kokoro's reader misaki. */
export const PHONE_NOTATIONS = ['piper', 'misaki'] as const;
export type PhoneNotation = (typeof PHONE_NOTATIONS)[number];

/** A word in phones. */
export interface PhoneWord {
  /** eSpeak's IPA with stress and length marks. */
  readonly sounds: readonly string[];
  /** The punctuation after it. */
  readonly mark: string;
}

/** The words of a sentence. @param tokens as they were spelled. */
export function phoneWords(symbols: readonly SpelledSymbol[], tokens: readonly string[]): PhoneWord[] {
  const words: { token: number; sounds: string[]; mark: string }[] = [];
  for (const { symbol, token } of symbols) {
    const last = words.at(-1);
    // A pause of the program without punctuation: inside, or where a phrase was cut off.
    if (symbol === '') {
      if (last?.mark === '') last.mark = ',';
    } else if (last?.token === token) last.sounds.push(symbol);
    else
      words.push({
        token,
        sounds: [symbol],
        mark: /[,;:.!?…—–](?=["'”’»)\]]*$)/u.exec(tokens[token] ?? '')?.[0] ?? '',
      });
  }
  return words.map(({ sounds, mark }, index) => {
    // A full stop inside a sentence belongs to an abbreviation.
    return { sounds, mark: mark === '.' && index + 1 < words.length ? '' : mark };
  });
}

/** In place of marks at which sherpa-onnx would end a sentence. */
export const WIDE: Readonly<Record<string, string>> = { '.': '。', ':': '：', '?': '？', '!': '！' };

/** Han characters for misaki's symbols, in the network's lexicon: sherpa-onnx reads them one by one, and other characters as English words. */
const HAN = 0x4e00;

/** A symbol of misaki as a character of the network's lexicon. */
export function han(symbol: string): string {
  return String.fromCodePoint(HAN + (symbol.codePointAt(0) ?? 0));
}

/** The words as sherpa-onnx's text. @param symbols of the network; others are left out. @param locale of the words, BCP 47. */
export function asText(
  words: readonly PhoneWord[],
  { notation, locale, symbols }: { notation: PhoneNotation; locale: string; symbols: ReadonlySet<string> },
): string {
  const said = words.map(({ sounds, mark }) => {
    const inNotation = notation === 'piper' ? sounds : sounds.map((sound) => misaki(sound, locale));
    return `${inNotation.join('').normalize('NFD')}${mark.replace('–', '—')}`;
  });
  const known = [...said.join(' ')].map((each) => (notation === 'piper' ? (WIDE[each] ?? each) : each));
  const text = known.filter((each) => symbols.has(each));
  return text.map((each) => (notation === 'piper' ? each : han(each))).join('');
}

/** Sounds that misaki writes as one symbol, in all languages. */
const COMMON: Readonly<Record<string, string>> = {
  ...{ aɪ: 'I', aʊ: 'W', eɪ: 'A', oʊ: 'O', əʊ: 'Q', ɔɪ: 'Y' },
  ...{ tʃ: 'ʧ', dʒ: 'ʤ', ts: 'ʦ', dz: 'ʣ', tɕ: 'ʨ', dʑ: 'ʥ', g: 'ɡ', '-': '' },
};

/** English of both sides as misaki writes what its dictionary lacks (github.com/hexgrad/misaki, Apache-2.0). */
const ENGLISH: Readonly<Record<string, string>> = {
  ...{ əl: 'ᵊl', ɚ: 'əɹ', r: 'ɹ', x: 'k', ç: 'k', ɐ: 'ə', ɬ: 'l', o: 'ɔ', e: 'A', ɾ: 'T', ʔ: 't', '\u0303': '' },
};
const AMERICAN: Readonly<Record<string, string>> = { ɜː: 'ɜɹ', ɪə: 'iə', ː: '' };
const BRITISH: Readonly<Record<string, string>> = { eə: 'ɛː', iə: 'ɪə' };

function misaki(sound: string, locale: string): string {
  const english = locale.startsWith('en') ? { ...ENGLISH, ...(locale === 'en-GB' ? BRITISH : AMERICAN) } : {};
  const table: Readonly<Record<string, string>> = { ...COMMON, ...english };
  const [, stress = '', rest = ''] = /^([ˈˌ]*)(.*)$/su.exec(sound.normalize('NFD')) ?? [];
  const pairs = /(?:aɪ|aʊ|eɪ|oʊ|əʊ|ɔɪ|tʃ|dʒ|ts|dz|tɕ|dʑ|əl|ɜː|ɪə|iə|eə)|./gsu;
  return stress + rest.replace(pairs, (each) => table[each] ?? [...each].map((one) => table[one] ?? one).join(''));
}
