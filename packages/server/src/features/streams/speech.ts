/** Control characters, invisible format characters (bidirectional overrides among them) and unassigned ones. */
const UNSPEAKABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;

/** Format characters that are part of words: joiners of Persian, Indic scripts and emoji. */
const JOINERS = new Set(['\u200c', '\u200d']);

/**
 * Replaces control and invisible characters by spaces. Markup stays, because the speech engines read it as text.
 * @returns undefined when nothing remains to be spoken.
 */
export function speakableText(text: string): string | undefined {
  const clean = text.replace(UNSPEAKABLE, (character) => (JOINERS.has(character) ? character : ' ')).trim();
  return clean === '' ? undefined : clean;
}
