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
  return (text) => {
    const left = bareOf(text);
    let restored = '';
    // One pass, so that a part of a restored emoji is not restored again.
    for (let at = 0; at < left.length; ) {
      const found = originals.find(({ bare }) => left.startsWith(bare, at));
      const { bare, emoji } = found ?? { bare: left.charAt(at), emoji: left.charAt(at) };
      restored += emoji;
      at += bare.length;
    }
    return restored;
  };
}
