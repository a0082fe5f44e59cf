import { describe, expect, it } from 'vitest';
import { readAloud } from './normalise.js';
import { prepareSentences } from './prepare.js';

describe('reading aloud', () => {
  it('says sums of money in the words and the order of the language', () => {
    expect(readAloud('€5,20.', 'de-DE')).toBe('5,20 Euro.');
    expect(readAloud('(1.200€)', 'de-DE')).toBe('(1200 Euro)');
    expect(readAloud('£3', 'en-GB')).toBe('3 British pounds');
    expect(readAloud('$2', 'ru-RU')).toBe('2 доллара США');
    expect(readAloud('$5.20', 'en-US')).toBe('$5.20');
  });

  it('says dates in full, day and month by the custom of the locale', () => {
    expect(readAloud('3/4/2025,', 'en-US')).toBe('March 4, 2025,');
    expect(readAloud('3/4/2025', 'en-GB')).toBe('3 April 2025');
    expect(readAloud('2025-04-03', 'de-DE')).toBe('3. April 2025');
    expect(readAloud('31.02.2025', 'de-DE')).toBe('31.02.2025');
  });

  it('says addresses without scheme and query', () => {
    expect(readAloud('https://www.example.com/a?b=c', 'en-US')).toBe('example dot com slash a');
    expect(readAloud('info@beispiel.de', 'de-DE')).toBe('info ät beispiel Punkt de');
  });

  it('leaves other words as they are', () => {
    for (const word of ['Hello,', '1,000,000', '10:30', 'v1.2.3', '—', '3.5'])
      expect(readAloud(word, 'en-US')).toBe(word);
  });
});

describe('pronunciations', () => {
  it('replace a word whatever its case, and keep the punctuation and the range', () => {
    const [sentence] = prepareSentences('Ask “Figurehead”!', 'en-US', {
      pronunciations: { figurehead: 'fig your head' },
    });
    expect(sentence!.tokens.map(({ spoken }) => spoken)).toEqual(['Ask', '“fig your head”!']);
    expect(sentence!.tokens[1]).toMatchObject({ text: '“Figurehead”!', start: 4, end: 17 });
  });
});
