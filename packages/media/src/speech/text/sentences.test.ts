import { describe, expect, it } from 'vitest';
import { prepareSentences } from './prepare.js';
import { cutLongSpeech, splitSentences } from './sentences.js';

const spoken = (text: string, locale = 'en-US'): string[] =>
  [...splitSentences(text, locale)].map((sentence) => sentence.tokens.map((token) => token.text).join(' '));

describe('sentences', () => {
  it('end at full stops, question and exclamation marks, and paragraphs', () => {
    expect(spoken('One. Two? Three!\n\nFour')).toEqual(['One.', 'Two?', 'Three!', 'Four']);
  });

  it('do not end after abbreviations, initials and inside numbers', () => {
    expect(spoken('Dr. J. R. Smith paid $3.50 to Acme Inc. for it. He left.')).toEqual([
      'Dr. J. R. Smith paid $3.50 to Acme Inc. for it.',
      'He left.',
    ]);
    expect(spoken('Das ist z.B. Frau Dr. Weber. Gut.', 'de-DE')).toEqual(['Das ist z.B. Frau Dr. Weber.', 'Gut.']);
  });

  it('end at the marks of other scripts, with dictionary words where there are no spaces', () => {
    expect(spoken('今日は良い天気です。散歩に行きましょう。', 'ja-JP')).toHaveLength(2);
    expect(spoken('यह पहला है। यह दूसरा है।', 'hi-IN')).toHaveLength(2);
    expect([...splitSentences('你好世界', 'zh-CN')][0]!.tokens.length).toBeGreaterThan(1);
  });

  it('are split when they are long, without losing a character', () => {
    const text = 'word '.repeat(4000).trim();
    const sentences = [...splitSentences(text, 'en-US')];
    expect(sentences.length).toBeGreaterThan(50);
    expect(
      sentences
        .flatMap((sentence) => sentence.tokens)
        .map((token) => token.text)
        .join(' '),
    ).toBe(text);
    expect([...splitSentences('x'.repeat(5000), 'en-US')].length).toBeGreaterThan(10);
    expect(
      [...splitSentences('😀'.repeat(500), 'en-US')]
        .flatMap(({ tokens }) => tokens.map(({ text: part }) => part))
        .join(''),
    ).toBe('😀'.repeat(500));
  });

  it.each(['x²³', '5%…', '½', '😀', 'XKCD', 'bcdfg', '1234567890', '10.0.0.1 ', '$', '2026-11-29, '])(
    'are split by what is spoken, without losing a character or a word: %s',
    (unit) => {
      const text = unit.repeat(Math.ceil(240 / unit.length)).slice(0, 240);
      const whole = [...prepareSentences(text, 'en-US', {})];
      const parts = whole.flatMap(cutLongSpeech);
      expect(parts.length).toBeGreaterThan(whole.length);
      const tokens = parts.flatMap((part) => part.tokens);
      const words = (from: readonly { readonly spoken: string }[]) => from.map(({ spoken: said }) => said).join('');
      expect(words(tokens).replaceAll(' ', '')).toBe(words(whole.flatMap((one) => one.tokens)).replaceAll(' ', ''));
      expect(tokens.map((token) => token.text).join('')).toBe(text.replaceAll(' ', ''));
      for (const token of tokens) expect(text.slice(token.start, token.end)).toBe(token.text);
      for (const part of parts) expect(words(part.tokens).length).toBeLessThan(400);
    },
  );

  it('of ordinary words, dates and amounts stay whole', () => {
    const text =
      'On 3 May 2026 the board of Acme and Sons in New York paid $3.5 million to 1,250 of its staff, which the Chair called the ' +
      'best result since 1998, and asked everybody to come back on Monday morning at half past nine for coffee.';
    const [whole] = [...prepareSentences(text, 'en-US', {})];
    expect(cutLongSpeech(whole!)).toEqual([whole]);
  });

  it('contain the range of every token in the text', () => {
    const text = ' Hello,  “world” — 漢字 😀 naïve.\n\tEnd ';
    for (const { tokens } of [...splitSentences(text, 'en-US')]) {
      for (const token of tokens) expect(text.slice(token.start, token.end)).toBe(token.text);
    }
  });

  it('contain nothing that an engine could interpret as a command', () => {
    const tokens = [...splitSentences('[[h@l]] <voice name="x">hi</voice> {a} \\b', 'en-US')].flatMap(
      (sentence) => sentence.tokens,
    );
    expect(tokens.map((token) => token.spoken).join(' ')).not.toMatch(/[<>[\]{}\\]/);
  });

  it('begin with phrases of a few words: to a clause mark, otherwise between words, never with a stub', () => {
    const phrases = (text: string, firstWords: number[]) =>
      [...prepareSentences(text, 'en-US', { firstWords })].map(({ tokens, pause }) => [
        tokens.map((token) => token.text).join(' '),
        pause,
      ]);
    expect(phrases('When it rains, we all stay at home and read a book.', [7])).toEqual([
      ['When it rains,', 'clause'],
      ['we all stay at home and read a book.', 'sentence'],
    ]);
    expect(phrases('One two three four five six seven eight nine ten.', [7, 9])).toEqual([
      ['One two three four five six seven', 'none'],
      ['eight nine ten.', 'sentence'],
    ]);
    expect(phrases('Good morning to all of you here.', [7])).toHaveLength(1);
    expect(phrases('It cost us all of 5 000 000 dollars in the end.', [7])[0]).toEqual(['It cost us all of', 'none']);
  });
});
