import { describe, expect, it } from 'vitest';
import { createSpeech } from '../../../media/src/speech/index.js';
import { articulate, type Viseme } from './visemes.js';

/** Every phone in the output of espeak-ng 1.52 for texts in all of its languages, including irregular ones. */
const ESPEAK_PHONES = [
  '?ɑ A N S X a a1 a2 a5 a6 a: aa aa1 aa5 aa6 aaɜ ai ai1 ai2 aiɜ anɡ4 au au5 aɜ aɨ aɪ aɪ1 aɪ7 aʊ aʊ1',
  'aʊʰχ aʰχ ã ä b bʰ bʲ bʲʲ c cʰ ç d d- dZ d[ dz dʑ dʒ dʰ dʲ dˤ d̪ e e1 e2 e4 e5 e6 e: ei ei2 ei5',
  'eoi2 eoi5 eoiɜ eɜ eɪ eɪ1 eʰχ e̞ f g h i i.5 i1 i2 i4 i5 i: inɡ1 inɡ2 iou2 iuɜ iɑ5 iə iɛ1 iɛ5 iɜ j ja',
  'ju k k- k^ k` kh kʰ kʲ kʲʲ l l- lʲ l̩ l̩l̩ m mʲ m̩ n nʲ n̩ o o1 o2 o4 o5 o6 oe oi onɡ5 ou2 oɜ oɪ oʊ',
  'oʰχ o̞ p p- ph pʰ pʲ q q- r r. r̩ r̩r̩ s s- s. sʲ s̪ s̪- s̺ s̻ t t- tS t[ t` th ts ts. tsʰ ts̺ tɕ',
  'tɕh tʃ tʃ` tʃʰ tʃʲ tʰ tʰχ tʲ t̪ t͡s t͡sʲ t͡ʃ u u" u-1 u1 u2 u4 u5 unɡ1 uo uoɜ uə uə5 uɜ uʰχ v v- vʲ',
  'w x y y2 y5 yu5 yu6 yɛ5 yɛɜ z æ ð ø øy ħ ŋ ŋ̃ œ ɐ ɐɐ ɐ̃ ɑ ɑ1 ɑ2 ɑ5 ɑu5 ɑuɜ ɑɑ ɑə ɑɪ ɑɹ ɑʊ ɑ̃ ɒ ɒ̃4 ɔ',
  'ɔ1 ɔɔ ɔɪ ɔʰχ ɔ̃ ɕ ɖ ɖʰ ə ə1 ə2 ə4 ə5 əu əə əɜ əɪ əʊ ɛ ɛ1 ɛɛ ɛɪ ɛʰχ ɟ ɟʰ ɡ ɡʰ ɣ ɤ ɨ ɪ ɪʰχ ɪ̃ ɫ ɭ ɭʲ ɯ',
  'ɯᵝ ɯᵝɯᵝ ɲ ɳ ɴ ɵ ɸ ɹ ɻ ɽ ɾ ʀ ʁ ʂ ʂʲ ʃ ʈ ʈʰ ʈ͡ʂ ʈ͡ʂʈ͡ʂ ʉ ʉʉ ʊ ʊə ʊʰχ ʋ ʌ ʌ+ ʌɪ ʌʊ ʌ̃ ʎ ʐ ʐʲ ʑ ʒ ʔ ʔe',
  'ʔi ʔo ʔu ʕ ʝ ʦ ʰχ ʲ β θ χ ᵐ ᵑ ⁿ',
]
  .join(' ')
  .split(' ');

const visemes = (phone: string): Viseme[] => articulate(phone).map((part) => part.articulation.viseme);

/** True for the fallback for unknown letters, recognised by its jaw goal and dominance. */
const isGuess = (phone: string): boolean =>
  articulate(phone).some(({ articulation }) => articulation.open === 0.22 && articulation.lips === 0.1);

describe('articulate', () => {
  it('knows every phone that espeak-ng emits in any language', () => {
    expect(ESPEAK_PHONES.length).toBeGreaterThan(250);
    expect(ESPEAK_PHONES.filter((phone) => isGuess(phone) || visemes(phone)[0] === 'sil')).toEqual([]);
  });

  it('knows what the engine emits now', async () => {
    const texts = {
      'en-us+f2': 'The quick brown fox judged my vow, this thing we measure.',
      de: 'Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich.',
      'fr-fr': 'Portez ce vieux whisky au juge blond qui fume, un bon vin.',
      hi: 'नमस्ते, आप कैसे हैं? भारत बहुत बड़ा देश है।',
      ar: 'مرحبا بكم في هذا العرض الجميل.',
      ru: 'Съешь же ещё этих мягких французских булок.',
    };
    const speech = createSpeech({ threads: 1 });
    try {
      for (const [voice, text] of Object.entries(texts)) {
        const { marks } = await speech.utter('espeak', text, { voice });
        const phones = marks.phonemes.map(({ phone }) => phone).filter((phone) => phone !== '');
        expect(phones.length).toBeGreaterThan(12);
        expect(phones.filter((phone) => isGuess(phone) || visemes(phone)[0] === 'sil')).toEqual([]);
      }
    } finally {
      await speech.close();
    }
  });

  it('maps English to the OpenXR visemes', () => {
    const table: Record<string, Viseme> = {
      p: 'PP',
      b: 'PP',
      m: 'PP',
      f: 'FF',
      v: 'FF',
      θ: 'TH',
      ð: 'TH',
      t: 'DD',
      d: 'DD',
      k: 'kk',
      ɡ: 'kk',
      ŋ: 'kk',
      ʃ: 'CH',
      ʒ: 'CH',
      s: 'SS',
      z: 'SS',
      n: 'nn',
      l: 'nn',
      ɹ: 'RR',
      ɑ: 'aa',
      ɛ: 'E',
      ɪ: 'I',
      i: 'I',
      ɔ: 'O',
      u: 'U',
      w: 'U',
    };
    for (const [phone, viseme] of Object.entries(table)) expect(visemes(phone)).toEqual([viseme]);
  });

  it('splits diphthongs and affricates 60 to 40', () => {
    expect(visemes('aɪ')).toEqual(['aa', 'I']);
    expect(visemes('dʒ')).toEqual(['DD', 'CH']);
    expect(visemes('t͡s')).toEqual(['DD', 'SS']);
    for (const phone of ['aɪ', 'tʃ', 'oʊ']) expect(articulate(phone).map((part) => part.share)).toEqual([0.6, 0.4]);
    const shares = articulate('aɪə').reduce((sum, part) => sum + part.share, 0);
    expect(shares).toBeCloseTo(1, 12);
  });

  it('ignores length, stress, tone, ties and diacritics', () => {
    for (const phone of ['iː', 'ˈi', 'i5', 'ĩ', 'i̥', '(en)i']) expect(visemes(phone)).toEqual(['I']);
    expect(visemes('õ'.normalize('NFC'))).toEqual(['O']);
    expect(visemes('tʰ')).toEqual(['DD']);
    expect(visemes('aɜ')).toEqual(['aa']);
    expect(visemes('ɜ')).toEqual(['E']);
  });

  it('closes the lips for labial-velar stops and rounds labialised consonants', () => {
    expect(visemes('ɡ͡b')).toEqual(['PP']);
    expect(articulate('kʷ')[0]?.articulation.width).toBeLessThan(-0.5);
  });

  it('maps silence to a closed mouth and unknown letters to a weak half-open mouth', () => {
    for (const phone of ['', '_', ' ', ':', '.']) expect(visemes(phone)).toEqual(['sil']);
    const [part] = articulate('Ж');
    expect(part?.articulation.kind).toBe('consonant');
    expect(part?.articulation.open).toBeGreaterThan(0);
    expect(part?.articulation.open).toBeLessThan(0.3);
  });
});
