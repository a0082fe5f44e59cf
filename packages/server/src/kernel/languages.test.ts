import { describe, expect, it } from 'vitest';
import { detectLanguages, languageName } from './languages.js';

const spoken = new Set(['en', 'de', 'fr', 'es', 'it', 'zh', 'ko', 'ar', 'he', 'ru', 'nb', 'pt']);

describe('the language of notes', () => {
  it.each([
    ['Welcome to our quarterly review. Today we look at sales and costs.', 'en'],
    ['Unsere Kosten sind im vergangenen Jahr leicht gestiegen.', 'de'],
    ['Bonjour à tous, voici les résultats de cette année pour notre entreprise.', 'fr'],
    ['Las ventas crecieron en todos los trimestres del año pasado.', 'es'],
    ['最后一页：感谢大家的聆听。', 'zh'],
    ['ありがとうございました', 'ja'],
    ['안녕하세요 여러분', 'ko'],
    ['مرحبا بكم جميعا في هذا العرض التقديمي عن نتائج الشركة', 'ar'],
    ['שלום', 'he'],
    ['Продажи выросли во всех кварталах прошлого года.', 'ru'],
    ['Salget økte i alle kvartaler i fjor, og vi er veldig fornøyde med resultatet.', 'nb'],
  ])('%s', async (text, language) => {
    expect(await detectLanguages([text], spoken)).toEqual([language]);
  });

  it('is that of the whole deck for pages with too little text', async () => {
    expect(
      await detectLanguages(['Danke!', 'Unsere Kosten sind im vergangenen Jahr leicht gestiegen.', ''], spoken),
    ).toEqual(['de', 'de', 'de']);
    expect(await detectLanguages(['Hello', 'Q3', ''], spoken)).toEqual(['en', 'en', 'en']);
  });

  it('has an English name', () => {
    expect(['de', 'zh', 'nb'].map(languageName)).toEqual(['German', 'Chinese', 'Norwegian Bokmål']);
  });
});
