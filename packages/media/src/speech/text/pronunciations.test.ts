import { describe, expect, it } from 'vitest';
import { prepareSentences } from './prepare.js';
import { pronunciationsIn } from './pronunciations.js';

describe('pronunciations', () => {
  it('replace a word in any case, and keep the punctuation and the range', () => {
    const [sentence] = prepareSentences('Ask “Figurehead”!', 'en-US', {
      pronunciations: { figurehead: 'fig your head' },
    });
    expect(sentence!.tokens.map(({ spoken }) => spoken)).toEqual(['Ask', '“fig your head”!']);
    expect(sentence!.tokens[1]).toMatchObject({ text: '“Figurehead”!', start: 4, end: 17 });
  });

  it('match phrases, genitives, figures and scripts without spaces, and never contain markup', () => {
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

  it('are limited to those that occur in the text', () => {
    const dictionary = { acme: 'ack me', sql: 'sequel', 'new york': 'noo york' };
    expect(pronunciationsIn('ACME is in New  York.', dictionary)).toEqual({ acme: 'ack me', 'new york': 'noo york' });
  });
});
