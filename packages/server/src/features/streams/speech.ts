import { readScript, SpeechError } from '@figurehead/media';
import { invalidFields } from '../../kernel/http/error.js';

/** Control characters, invisible format characters (such as bidirectional overrides) and unassigned ones. */
const UNSPEAKABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;

/** Format characters that are part of words: joiners of Persian, Indic scripts and emoji. */
const JOINERS = new Set(['\u200c', '\u200d']);

/**
 * Replaces control and invisible characters by spaces. Markup is kept: it is spoken as text or parsed as SSML.
 * @returns undefined when nothing remains to be spoken.
 */
export function speakableText(text: string): string | undefined {
  const clean = text.replace(UNSPEAKABLE, (character) => (JOINERS.has(character) ? character : ' ')).trim();
  return clean === '' ? undefined : clean;
}

/** Throws a 400 with line and column for malformed SSML. */
export function requireReadable(text: string): void {
  try {
    readScript(text);
  } catch (error) {
    if (error instanceof SpeechError) throw invalidFields([{ field: 'text', message: error.message }]);
    throw error;
  }
}
