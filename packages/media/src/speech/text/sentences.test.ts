import { describe, expect, it } from 'vitest';
import { splitSentences } from './sentences.js';

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
});
