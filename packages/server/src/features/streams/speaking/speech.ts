import { readScript, SpeechError } from '@figurehead/media';
import { invalidFields } from '../../../kernel/errors.js';

/** Control characters, invisible format characters (such as bidirectional overrides) and unassigned ones. */
const UNSPEAKABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;

/** Characters among them that are kept: joiners of Persian, Indic scripts and emoji, and line ends, which end sentences. */
const KEPT = new Set(['\u200c', '\u200d', '\n']);

/** Replaces control and invisible characters by spaces. Markup is kept: it is spoken as text or parsed as SSML. */
export function cleanText(text: string): string {
  return text.replace(UNSPEAKABLE, (character) => (KEPT.has(character) ? character : ' '));
}

/** The clean text without white space around it; `undefined` when nothing remains to be spoken. */
export function speakableText(text: string): string | undefined {
  const clean = cleanText(text).trim();
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
