/** Languages with supported English names; any other may be given as a BCP 47 tag. */
const CODES = `af ar bg bn ca cs cy da de el en es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka
  kk kn ko lt lv mk ml mr ms nb nl pa pl pt ro ru sk sl sq sr sv sw ta te th tr uk ur vi zh`.split(/\s+/);

/** Scripts that nearly identify their language. The order matters: Japanese also has Han characters. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/\p{Script=Hiragana}|\p{Script=Katakana}/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh'],
  [/[іїєґ]/iu, 'uk'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Thai}/u, 'th'],
];

/**
 * BCP 47 tag of a language given as tag or English name; derived from the script of `text` when it is missing or
 * unknown.
 */
export function localeOf(language: string | null, text: string): string {
  const wanted = language?.trim() ?? '';
  const tag = wanted.replaceAll('_', '-');
  if (isSupported(tag)) return tag;
  const names = new Intl.DisplayNames(['en'], { type: 'language' });
  const name = wanted.toLowerCase().split(/[\s(,]/)[0] ?? '';
  const named = CODES.find((code) => names.of(code)?.toLowerCase() === name);
  if (named !== undefined) return named;
  return SCRIPTS.find(([script]) => script.test(text))?.[1] ?? 'en';
}

function isSupported(tag: string): boolean {
  if (!/^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(tag)) return false;
  try {
    return Intl.Segmenter.supportedLocalesOf([tag]).length > 0;
  } catch (error) {
    // Looks well-formed, but has for example a duplicate subtag.
    if (error instanceof RangeError) return false;
    throw error;
  }
}
