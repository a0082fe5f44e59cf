import { EMOJI_GLUE } from '@figurehead/media';
import type { PdfLine } from '../pdf/text-lines.js';

/**
 * Puts joiners and variation selectors back into text of a PDF, which lacks some of them: `👩💻` is `👩‍💻` again if the deck
 * contains that. @param known the emoji of the deck in their original form.
 */
export function emojiRestorer(known: Iterable<string> = []): (lines: readonly PdfLine[]) => readonly PdfLine[] {
  const bareOf = (text: string): string => Array.from(text, (one) => (EMOJI_GLUE.test(one) ? '' : one)).join('');
  const originals = new Map([...known].map((emoji) => [bareOf(emoji), emoji]));
  // The longest first, in one pass, so that a part of a restored emoji is not restored again.
  const bare = [...originals]
    .flatMap(([one, emoji]) => (one === '' || one === emoji ? [] : [one]))
    .sort((a, b) => b.length - a.length);
  if (bare.length === 0) return (lines) => lines;
  const restore = (text: string): string => {
    const from = bareOf(text);
    let restored = '';
    for (let at = 0; at < from.length; ) {
      const found = bare.find((one) => from.startsWith(one, at)) ?? from[at]!;
      restored += originals.get(found) ?? found;
      at += found.length;
    }
    return restored;
  };
  return (lines) =>
    lines.map((line) => ({ ...line, spans: line.spans.map((span) => ({ ...span, text: restore(span.text) })) }));
}
