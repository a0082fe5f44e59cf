import { readScript, SpeechError } from '@figurehead/media';
import { invalidFields } from '../../kernel/http/error.js';

/** Control characters, invisible format characters (bidirectional overrides among them) and unassigned ones. */
const UNSPEAKABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;

/** Format characters that are part of words: joiners of Persian, Indic scripts and emoji. */
const JOINERS = new Set(['\u200c', '\u200d']);

/**
 * Replaces control and invisible characters by spaces. Markup stays: it is read as text, or as SSML.
 * @returns undefined when nothing remains to be spoken.
 */
export function speakableText(text: string): string | undefined {
  const clean = text.replace(UNSPEAKABLE, (character) => (JOINERS.has(character) ? character : ' ')).trim();
  return clean === '' ? undefined : clean;
}

/** Throws a 400 with line and column when the text is SSML that cannot be read. */
export function requireReadable(text: string): void {
  try {
    readScript(text);
  } catch (error) {
    if (error instanceof SpeechError) throw invalidFields([{ field: 'text', message: error.message }]);
    throw error;
  }
}
