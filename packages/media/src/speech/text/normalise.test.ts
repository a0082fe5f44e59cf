import { describe, expect, it } from 'vitest';
import { readAloud } from './normalise.js';
import { prepareSentences } from './prepare.js';
import { pronunciationsIn } from './pronunciations.js';

describe('reading aloud', () => {
  it('says sums of money in the words and the order of the language', () => {
    expect(readAloud('€5,20.', 'de-DE')).toBe('5 Euro 20.');
    expect(readAloud('(1.200€)', 'de-DE')).toBe('(1200 Euro)');
    expect(readAloud('£3', 'en-GB')).toBe('3 pounds');
    expect(readAloud('$2', 'ru-RU')).toBe('2 доллара США');
    expect(readAloud('$5.20', 'en-US')).toBe('5 dollars and 20 cents');
  });

  it('says dates in full, day and month by the custom of the locale', () => {
    expect(readAloud('3/4/2025,', 'en-US')).toBe('March fourth, 2025,');
    expect(readAloud('3/4/2025', 'en-GB')).toBe('third April 2025');
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

  it('know phrases, owners, figures and scripts without spaces, and never carry markup', () => {
    const pronunciations = {
      'new york': 'noo york',
      acme: 'ack me',
      飞书: '<b>fei shu</b>',
      k8s: 'kubernetes',
      york: 'wrong',
    };
    const spoken = (text: string, locale: string): string[] =>
      [...prepareSentences(text, locale, { pronunciations })][0]!.tokens.map((token) => token.spoken);
    expect(spoken('In New  York, Acme’s K8S.', 'en-US')).toEqual(['In', 'noo york,', '', "ack me's", 'kubernetes.']);
    expect(spoken('使用飞书。', 'zh-CN').join(' ')).toMatch(/ b fei shu \/b/);
  });

  it('count only where the text has them', () => {
    const dictionary = { acme: 'ack me', sql: 'sequel', 'new york': 'noo york' };
    expect(pronunciationsIn('ACME is in New  York.', dictionary)).toEqual({ acme: 'ack me', 'new york': 'noo york' });
  });
});
