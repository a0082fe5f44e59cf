import { iso6392 } from 'iso-639-2';

/** A language in the two alphabets of ISO 639-2: MP4 takes terminological codes, Matroska bibliographic ones. */
export interface TrackLanguage {
  readonly terminological: string;
  readonly bibliographic: string;
}

/** ISO 639-2's code for a language that is not known. */
export const UNDETERMINED: TrackLanguage = { terminological: 'und', bibliographic: 'und' };

/** The codes of a language, which is a BCP 47 tag or an English name; {@link UNDETERMINED} for one without codes. */
export function trackLanguageOf(language: string): TrackLanguage {
  // A name may have a region: `Portuguese (Brazil)`.
  const name = language
    .replace(/\([^()]*\)/g, '')
    .trim()
    .toLowerCase();
  const code = baseOf(name);
  const names = new Intl.DisplayNames('en', { type: 'language' });
  const found = iso6392.find(
    ({ iso6391, iso6392T, iso6392B, name: own }) =>
      [iso6391, iso6392T, iso6392B].includes(code) ||
      own.toLowerCase().split('; ').includes(name) ||
      // The standard has `Greek, Modern (1453-)`.
      (iso6391 !== undefined && names.of(iso6391)?.toLowerCase() === name),
  );
  if (found === undefined) return UNDETERMINED;
  return { terminological: found.iso6392T ?? found.iso6392B, bibliographic: found.iso6392B };
}

/** The language of a tag in its usual form, in which Mandarin (`cmn`) is Chinese; Cantonese has no code of its own there. */
function baseOf(tag: string): string {
  try {
    const [base = ''] = (Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0] ?? '').split('-', 1);
    return base === 'yue' ? 'zh' : base;
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}
