import { detectAll } from 'tinyld';

/** Languages with their own script, by BCP 47 tag: certain from a few letters. */
const SCRIPTS: readonly (readonly [script: RegExp, language: string])[] = [
  // Kana before Han: Japanese is written in both.
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 'ja'],
  [/\p{Script=Hangul}/gu, 'ko'],
  [/\p{Script=Han}/gu, 'zh'],
  [/\p{Script=Hebrew}/gu, 'he'],
  [/\p{Script=Greek}/gu, 'el'],
  [/\p{Script=Thai}/gu, 'th'],
  [/\p{Script=Georgian}/gu, 'ka'],
  [/\p{Script=Armenian}/gu, 'hy'],
  [/\p{Script=Tamil}/gu, 'ta'],
  [/\p{Script=Bengali}/gu, 'bn'],
];

/** With fewer letters of a shared alphabet, guesses are wrong more often than right. */
const ENOUGH_LETTERS = 24;

/** The detector's scores fall with the text's length; below this value it is a guess. */
const ENOUGH_ACCURACY = 0.15;

/**
 * The language of each text as a BCP 47 tag. Texts that are too short get the language of all texts together; the
 * fallback is English.
 * @param spoken the tags to choose from.
 */
export function detectLanguages(texts: readonly string[], spoken: ReadonlySet<string>): string[] {
  const whole = detect(texts.join('\n'), spoken) ?? 'en';
  return texts.map((text) => detect(text, spoken) ?? whole);
}

function detect(text: string, spoken: ReadonlySet<string>): string | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  for (const [script, language] of SCRIPTS) {
    const found = text.match(script)?.length ?? 0;
    // Half of the letters, for Han and kana a fifth: such a sentence has fewer characters than its foreign names have
    // letters.
    const share = language === 'ja' || language === 'zh' ? 0.2 : 0.5;
    if (found > 0 && found >= letters * share) return language;
  }
  if (letters < ENOUGH_LETTERS) return undefined;
  const [best] = detectAll(text).filter(({ lang }) => spoken.has(spokenTag(lang)));
  return best !== undefined && best.accuracy >= ENOUGH_ACCURACY ? spokenTag(best.lang) : undefined;
}

/** The detector's `no` corresponds to voices of Bokmål. */
function spokenTag(language: string): string {
  return language === 'no' ? 'nb' : language;
}
