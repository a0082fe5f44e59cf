import { describe, expect, it } from 'vitest';
import { expectLinear, HOSTILE_UNITS } from '../../../../../../tests/support/growth.js';
import { prepareSentences } from '../prepare.js';
import { readingAccuracy } from './corpus.js';

/** Minimum number of pairs per language, and minimum percentage of them that is read correctly. */
const FLOORS: Readonly<Record<string, readonly [pairs: number, percent: number]>> = {
  de: [600, 98],
  en: [600, 99],
  es: [600, 99],
  fr: [600, 99],
  it: [150, 98],
  nl: [150, 98],
  pl: [200, 98],
  pt: [150, 97],
  ru: [150, 97],
  tr: [150, 98],
};

describe('text reading', () => {
  it('reads the corpus of ten languages correctly', () => {
    const languages = readingAccuracy();
    expect(languages.map(({ language }) => language)).toEqual(Object.keys(FLOORS));
    for (const { language, pairs, right, wrong } of languages) {
      const [fewest, percent] = FLOORS[language]!;
      expect(pairs).toBeGreaterThanOrEqual(fewest);
      const read = wrong.map((pair) => pair.join(' ¦ ')).join('\n');
      expect((100 * right) / pairs, `${language} is read wrongly:\n${read}`).toBeGreaterThanOrEqual(percent);
    }
  });

  it('reads dense sentences of ten languages correctly, also those that were closed while rules were written', () => {
    const languages = readingAccuracy('dense/');
    expect(languages.map(({ language }) => language)).toEqual('de en es fr it ja nl pl pt tr'.split(' '));
    const wrong = languages.flatMap((each) => each.wrong).map((pair) => pair.join(' ¦ '));
    for (const [half, fewest, percent] of [
      ['seen', 300, 96],
      ['open', 300, 95],
      ['closed', 300, 85],
      // Signs that were silent or read wrongly.
      ['signs', 100, 94],
      // Sentences of letters, shops, timetables and news, written before the rules that they led to.
      ['everyday', 700, 97],
    ] as const) {
      const counts = languages.map(({ classes }) => classes.get(half) ?? { right: 0, pairs: 0 });
      const [right, pairs] = [sum(counts.map((each) => each.right)), sum(counts.map((each) => each.pairs))];
      expect(pairs).toBeGreaterThanOrEqual(fewest);
      expect((100 * right) / pairs, `${half} half:\n${wrong.join('\n')}`).toBeGreaterThanOrEqual(percent);
    }
  });

  it('keeps the offsets of all words, independent of their spoken form', () => {
    const texts = [
      'Das ist z.\u202fB. für 1 250,50 € am 3. Mai 2025 um 14.30 Uhr, Tel. 030 901820.',
      'Ask J. R. Smith, 5 Main St., 3/4 of 10–12 km, https://x.com/a?b=c 👍🏽 at 3:30 p.m. <b>x=1</b>',
    ];
    for (const text of texts) {
      for (const locale of ['de-DE', 'en-US', 'fr-FR', 'ja-JP']) {
        const tokens = [...prepareSentences(text, locale, {})].flatMap((sentence) => sentence.tokens);
        for (const token of tokens) {
          expect(text.slice(token.start, token.end)).toBe(token.text);
          expect(token.spoken).not.toMatch(/[<>[\]{}\\|`^~_*=]/u);
        }
        expect(tokens.map((token) => token.text).join('')).toMatch(/\p{L}/u);
      }
    }
  });

  it('leaves text in languages without rules to the engine', () => {
    const [sentence] = prepareSentences('5 km и 3 Mio.', 'sw-KE', {});
    expect(sentence!.tokens.map(({ spoken }) => spoken)).toEqual(['5', 'km', 'и', '3', 'Mio.']);
  });

  it.each([
    ...HOSTILE_UNITS,
    '1.000',
    'z. B. ',
    '3/4/',
    'a.b@',
    'https://a?=',
    '😀\u200d',
    '+49 ',
    'XIV',
    '12:30–',
    'St. ',
    'u\u0308',
    'ﬁ ? ',
  ])('takes linear time for any text: %j', async (unit) => {
    const prepare = async (text: string) => {
      for (const locale of ['en-US', 'de-DE']) [...prepareSentences(text, locale, { quickStart: true })].length;
    };
    await expectLinear(prepare, unit, 16_000);
  });
});

function sum(counts: readonly number[]): number {
  return counts.reduce((all, each) => all + each, 0);
}
