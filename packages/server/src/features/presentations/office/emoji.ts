import { EMOJI_GLUE } from '@figurehead/media';

/**
 * Puts joiners and variation selectors back into text of a PDF, which lacks some of them: `👩💻` is `👩‍💻` again if the deck
 * contains that. @param known the emoji of the deck in their original form.
 */
export function emojiRestorer(known: readonly string[]): (text: string) => string {
  const bareOf = (text: string): string => Array.from(text, (one) => (EMOJI_GLUE.test(one) ? '' : one)).join('');
  const originals = known
    .map((emoji) => ({ emoji, bare: bareOf(emoji) }))
    .filter(({ emoji, bare }) => bare !== '' && emoji !== bare)
    .sort((a, b) => b.bare.length - a.bare.length);
  if (originals.length === 0) return (text) => text;
  // One pass, so that a part of a restored emoji is not restored again.
  const pattern = new RegExp(originals.map(({ bare }) => bare).join('|'), 'gu');
  const byBare = new Map(originals.map(({ emoji, bare }) => [bare, emoji]));
  return (text) => bareOf(text).replace(pattern, (bare) => byBare.get(bare) ?? bare);
}
