import { describe, expect, it } from 'vitest';
import type { SpelledSymbol } from '../espeak/speaker.js';
import { asText, han, type PhoneNotation, phoneWords } from './phones.js';

/** Sounds of words, as eSpeak NG gives them; a dot between sounds, a space between words, `_` for a pause. */
function spelled(sounds: string): SpelledSymbol[] {
  return sounds
    .split(' ')
    .flatMap((word, token) => word.split('·').map((symbol) => ({ symbol: symbol === '_' ? '' : symbol, token })));
}

const PIPER = new Set([...' ,。？；həlˈoʊwɜːdtʃa\u0303']);
const MISAKI = new Set([...' ,.?həlˈOwɹdʧaIkA\u0303ɜɔᵊQː']);

function said(sounds: string, tokens: string, notation: PhoneNotation, locale = 'en-US'): string {
  const words = phoneWords(spelled(sounds), tokens.split(' '));
  return asText(words, { notation, locale, symbols: notation === 'piper' ? PIPER : MISAKI });
}

/** Symbols of misaki from the characters of the network's lexicon. */
const symbolsOf = (text: string) =>
  [...text].map((each) => String.fromCodePoint((each.codePointAt(0) ?? 0) - 0x4e00)).join('');

describe('phones for a network', () => {
  it('are separate symbols with the punctuation of the words, without ends of sentences inside', () => {
    expect(said('h·ə·l·ˈoʊ w·ˈɜː·l·d', 'Hello, world.', 'piper')).toBe('həlˈoʊ, wˈɜːld。');
    expect(said('h·ə·l·ˈoʊ w·ˈɜː·l·d', 'Hello. world?”', 'piper')).toBe('həlˈoʊ wˈɜːld？');
  });

  it('have a comma for a pause without punctuation', () => {
    expect(said('h·ə·l·ˈoʊ·_ w·ˈɜː·l·d', 'Hello world', 'piper')).toBe('həlˈoʊ, wˈɜːld');
  });

  it('leave out what the network does not have', () => {
    expect(said('h·ǃ·a', 'xx', 'piper')).toBe('ha');
    expect(said('ǃ', 'x', 'piper')).toBe('');
  });

  it.each([
    ['en-US', 'h·ə·l·ˈoʊ w·ˈɜː·l·d', 'həlˈO wˈɜɹld'],
    ['en-US', 'tʃ·ˈaɪ·ə·l·d', 'ʧˈIəld'],
    ['en-US', 'k·ˈoː·ɹ', 'kˈɔɹ'],
    ['en-US', 'w·ˈɔː·ɾ·ɚ', 'wˈɔəɹ'],
    ['en-GB', 'h·ə·l·ˈəʊ w·ˈɜː·l·d', 'həlˈQ wˈɜːld'],
    ['fr-FR', 'tʃ·ˈɑ̃·e', 'ʧˈ\u0303'],
  ])('are written in the alphabet of misaki in %s: %s', (locale, sounds, expected) => {
    const tokens = sounds.split(' ').map(() => 'x');
    const text = said(sounds, tokens.join(' '), 'misaki', locale);
    expect(symbolsOf(text)).toBe(expected);
    expect([...text].every((each) => /\p{Script=Han}/u.test(each))).toBe(true);
    expect(text).toBe([...symbolsOf(text)].map(han).join(''));
  });
});
