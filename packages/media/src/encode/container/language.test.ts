import { describe, expect, it } from 'vitest';
import { trackLanguageOf } from './language.js';

describe('the language of a track', () => {
  it.each([
    ['de-DE', 'deu', 'ger'],
    ['zh_Hant_TW', 'zho', 'chi'],
    ['cmn-CN', 'zho', 'chi'],
    ['yue-HK', 'zho', 'chi'],
    ['nb-NO', 'nob', 'nob'],
    ['es-419', 'spa', 'spa'],
    ['fil-PH', 'fil', 'fil'],
    ['sr-Latn-RS', 'srp', 'srp'],
    ['Greek', 'ell', 'gre'],
    ['Norwegian Bokmål', 'nob', 'nob'],
    ['Portuguese (Brazil)', 'por', 'por'],
    ['Chinese (Mandarin)', 'zho', 'chi'],
    ['German', 'deu', 'ger'],
    ['', 'und', 'und'],
    ['Klingonian of Mars', 'und', 'und'],
  ])('%s', (language, terminological, bibliographic) => {
    expect(trackLanguageOf(language)).toEqual({ terminological, bibliographic });
  });
});
