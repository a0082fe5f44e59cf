/** English is spoken at about 155 words a minute. */
const WORDS_PER_SECOND = 155 / 60;

/** Words of a text. */
export function wordsOf(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}

/** About how long a text takes to say, seconds; 0 for none. */
export function spokenSeconds(text: string): number {
  const words = wordsOf(text);
  return words === 0 ? 0 : Math.max(1, words / WORDS_PER_SECOND);
}
