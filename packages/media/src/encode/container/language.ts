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
  const name = language.trim().toLowerCase();
  const code = name.split(/[-_]/, 1)[0];
  const found = iso6392.find(
    (each) =>
      [each.iso6391, each.iso6392T, each.iso6392B].includes(code) || each.name.toLowerCase().split('; ').includes(name),
  );
  if (found === undefined) return UNDETERMINED;
  return { terminological: found.iso6392T ?? found.iso6392B, bibliographic: found.iso6392B };
}
