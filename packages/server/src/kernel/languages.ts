/** Scripts of several languages. The others belong to one each, which is certain from a few letters. */
const SHARED = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Devanagari}]/gu;

/** With fewer letters of a shared script, guesses are wrong more often than right. */
const ENOUGH_LETTERS = 24;

/** The detector's scores fall with the text's length; below this value it is a guess. */
const ENOUGH_ACCURACY = 0.15;

/** The detector's names of what voices speak: Bokmål, and Hebrew, whose short words it takes for Yiddish. */
const VOICED: Readonly<Record<string, string>> = { no: 'nb', yi: 'he' };

/**
 * The language of each text as a BCP 47 tag. Texts that are too short get the language of all texts together; the
 * fallback is English.
 * @param spoken the tags to choose from.
 */
export async function detectLanguages(texts: readonly string[], spoken: ReadonlySet<string>): Promise<string[]> {
  const whole = (await detectLanguage(texts.join('\n'), spoken)) ?? 'en';
  return Promise.all(texts.map(async (text) => (await detectLanguage(text, spoken)) ?? whole));
}

/** The language of a text as a BCP 47 tag, of those in `spoken`; `undefined` when the text is too short to tell. */
export async function detectLanguage(text: string, spoken: ReadonlySet<string>): Promise<string | undefined> {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const own = letters - (text.match(SHARED)?.length ?? 0);
  // Loaded on first use, because the detector takes 0.15 s.
  const { detectAll } = await import('tinyld');
  // It has no Georgian.
  const found = /\p{Script=Georgian}/u.test(text)
    ? [{ lang: 'ka', accuracy: 1 }]
    : detectAll(text).map(({ lang, accuracy }) => ({ lang: VOICED[lang] ?? lang, accuracy }));
  // A fifth: a sentence in Han has fewer characters than its foreign names have letters.
  if (own > letters / 5) return found[0]?.lang;
  if (letters < ENOUGH_LETTERS) return undefined;
  const best = found.find(({ lang }) => spoken.has(lang));
  return best !== undefined && best.accuracy >= ENOUGH_ACCURACY ? best.lang : undefined;
}

/** English name of a language by its tag: `German`. Names are kept. */
export function languageName(language: string): string {
  const isTag = /^[a-z]{2,3}(-[A-Za-z0-9]+)*$/.test(language);
  return (isTag ? new Intl.DisplayNames(['en'], { type: 'language' }).of(language) : undefined) ?? language;
}
