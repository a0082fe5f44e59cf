import { describe, expect, it } from 'vitest';
import { cuesOf } from './cues.js';

/** The text of the subtitles of a speech whose words last half a second each. */
function shown(text: string): string {
  const words = [...text.matchAll(/[\p{L}\p{N}'’]+/gu)].map((match, index) => ({
    text: match[0],
    textStart: match.index,
    textEnd: match.index + match[0].length,
    start: index * 24_000,
    end: (index + 1) * 24_000,
  }));
  const cues = cuesOf(text, words, { startSample: 0, endSeconds: words.length / 2 + 1 });
  return cues.map((cue) => cue.text.replaceAll('\n', ' ')).join(' ');
}

describe('subtitles', () => {
  it.each([
    'Vous venez demain ? Oui : ça va !',
    'Vous venez demain\u202f? Oui\u00a0: ça va\u00a0!',
    'Il dit « Bonjour » et part.',
    'One – two / three | four & five … six',
    'A (small) "quoted", well-known thing.',
    '« Bonjour », dit-il.',
  ])('have the punctuation of %j, with its spaces', (text) => {
    expect(shown(text)).toBe(text);
  });

  it('leave signs of a new line to its first word, and spaces have one width', () => {
    expect(shown('First  line \n – second\nthird  –\tend')).toBe('First line – second third – end');
  });
});
