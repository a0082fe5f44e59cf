import { describe, expect, it } from 'vitest';
import { prepareSentences } from '../prepare.js';
import { normaliseEnglish } from './english.js';

const said = (text: string, locale: string): string =>
  [...prepareSentences(text, locale, {})]
    .map((sentence) =>
      sentence.tokens
        .map(({ spoken }) => spoken)
        .filter((spoken) => spoken !== '')
        .join(' '),
    )
    .join(' | ');

describe('reading in context', () => {
  it('reads units and currencies after figures in the language', () => {
    expect(said('5 km, 1 kg and 100 km/h at 20°C', 'en-US')).toBe(
      'five kilometers, one kilogram and one hundred kilometers per hour at twenty degrees Celsius',
    );
    expect(said('3km für 5 €', 'de-DE')).toBe('drei Kilometer für fünf Euro');
    expect(said('5 km', 'fr-FR')).toBe('cinq kilomètres');
    expect(said('5 km', 'es-ES')).toBe('cinco kilómetros');
    expect(said('Vitamin C, m and km', 'en-US')).toBe('Vitamin C, m and km');
  });

  it('transliterates words of other scripts for languages with Latin letters', () => {
    expect(said('I met Москва, 北京 and हिन्दी today.', 'en-US')).toBe('I met Moskva, BeiJing and hindi today.');
    expect(said('Αθήνα und 서울 im α-Test, Größe', 'de-DE')).toBe('Athina und SeoUl im α-Test, Größe');
    expect(said('Москва и Paris', 'ru-RU')).toBe('Москва и Paris');
    const [sentence] = prepareSentences('naïve Ærø, π and Łódź', 'en-US', {});
    expect(normaliseEnglish(sentence?.tokens ?? []).map(({ spoken }) => spoken)).toEqual([
      'naive',
      'Aero,',
      'pi',
      'and',
      'Lodz',
    ]);
  });

  it('expands abbreviations, also at the end of a sentence', () => {
    expect(said('Eier, Milch usw. bzw. ca. 5 Std. Arbeit.', 'de-DE')).toBe(
      'Eier, Milch und so weiter beziehungsweise zirka fünf Stunden Arbeit.',
    );
    expect(said('Das kostet 3 Mio. Euro, z.B. hier, inkl. MwSt.', 'de-DE')).toBe(
      'Das kostet drei Millionen Euro, zum Beispiel hier, inklusive Mehrwertsteuer.',
    );
    expect(said('M. Dupont, p. ex. ici, n° 5', 'fr-FR')).toBe('monsieur Dupont, par exemple ici, numéro cinq');
    expect(said('En EE. UU., p. ej. esto', 'es-ES')).toBe('En Estados Unidos, por ejemplo esto');
    expect(said('Fruit, e.g. apples vs. pears', 'en-US')).toBe('Fruit, for example apples versus pears');
  });

  it('reads English years, ranges, numbers and handles naturally', () => {
    expect(said('In 1999, from 1905 to 1800', 'en-US')).toBe(
      'In nineteen ninety-nine, from nineteen oh-five to eighteen hundred',
    );
    expect(said('1999 people', 'en-US')).toBe('one thousand nine hundred ninety-nine people');
    expect(said('No. 5 or #6, 2020–2024, @home', 'en-US')).toBe(
      'number five or number six, twenty twenty to twenty twenty-four, at home',
    );
    expect(said('No. They left.', 'en-US')).toBe('No. | They left.');
    expect(said('$5M', 'en-US')).toBe('five million dollars');
  });

  it('reads ordinals that engines do not know, and does not end the sentence there', () => {
    expect(said('Am 3. Mai. Und das 21. Jahrhundert am 12.04.2025.', 'de-DE')).toBe(
      'Am dritten Mai. | Und das einundzwanzigste Jahrhundert am zwölften April zweitausendfünfundzwanzig.',
    );
    expect(said('Es waren 12. Danach ging er.', 'de-DE')).toBe('Es waren zwölf. | Danach ging er.');
    expect(said('Le XXIe siècle', 'fr-FR')).toBe('Le vingt-et-unième siècle');
    expect(said('El 1.º de mayo', 'es-ES')).toBe('El primero de mayo');
  });
});

describe('grouped amounts', () => {
  it.each([
    [
      '1.234.567,89 €',
      'de-DE',
      'eine Million zweihundertvierunddreißigtausendfünfhundertsiebenundsechzig Euro neunundachtzig',
    ],
    [
      '1.234.567,89 €',
      'es-ES',
      'un millón doscientos treinta y cuatro mil quinientos sesenta y siete euros con ochenta y nueve céntimos',
    ],
    ['1.234.567,89 €', 'it-IT', 'un milione duecentotrentaquattromilacinquecentosessantasette euro e ottantanove'],
    ['1.234.567,89 ₺', 'tr-TR', 'bir milyon iki yüz otuz dört bin beş yüz altmış yedi lira seksen dokuz kuruş'],
    [
      '1 234 567,89 €',
      'fr-FR',
      'un million deux cent trente-quatre mille cinq cent soixante-sept euros quatre-vingt-neuf',
    ],
    [
      '1\u202f234\u202f567,89\u00a0€',
      'fr-FR',
      'un million deux cent trente-quatre mille cinq cent soixante-sept euros quatre-vingt-neuf',
    ],
    ['₹12,34,567', 'en-IN', 'twelve lakh thirty-four thousand five hundred sixty-seven rupees'],
    [
      '₹1,23,456.50 or 3,00,00,000 people',
      'en-IN',
      'one lakh twenty-three thousand four hundred fifty-six rupees and fifty paise or three crore people',
    ],
    ['₹12,34,567', 'en-US', 'one million two hundred thirty-four thousand five hundred sixty-seven rupees'],
  ])('are one number: %s (%s)', (written, locale, words) => {
    expect(said(written, locale)).toBe(words);
  });

  it('are not confused with versions and dates', () => {
    expect(said('Version 1.2.3, 10.0.0.1', 'de-DE')).toBe(
      'Version eins Punkt zwei Punkt drei, zehn Punkt null Punkt null Punkt eins',
    );
  });
});

describe('codes and signs', () => {
  it.each([
    [
      'The code is 978-3-16-148410-0.',
      'The code is nine seven eight, three, one six, one four eight four one zero, zero.',
    ],
    ['Part 12-05-2021-A', 'Part one two, zero five, two zero two one, A'],
    ['3-16-148410-X', 'three, one six, one four eight four one zero, X'],
    ['9783161484100', 'nine seven eight three one six one four eight four one zero zero'],
    [
      '12-05-2021 and 2025-04-03T14:30',
      'December fifth, twenty twenty-one and April third, twenty twenty-five, fourteen thirty',
    ],
  ])('are read figure by figure: %s', (written, words) => {
    expect(said(written, 'en-US')).toBe(words);
  });

  it('are not confused with telephone numbers of the same shape', () => {
    const words = 'zéro cinq, soixante-et-un, vingt-deux, trente-trois, quarante-quatre';
    expect(said('05-61-22-33-44', 'fr-FR')).toBe(words);
    expect(said('05 61 22 33 44', 'fr-FR')).toBe(words);
  });

  it('are read as comparisons, and as fractions without a zero', () => {
    expect(said('age >= 18, x<=5 and n != 3', 'en-US')).toBe(
      'age is at least eighteen, x is at most five and n is not equal to three',
    );
    expect(said('Alter >= 18', 'de-DE')).toBe('Alter größer gleich achtzehn');
    expect(said('.5 mg, -.25 and $.50', 'en-US')).toBe('point five milligrams, minus point two five and fifty cents');
    expect(said('... .net, v.5 and ...5', 'en-US')).toContain('.net');
  });
});

describe('short forms', () => {
  it('are spelled or said as people do', () => {
    expect(said('URLs, CEOs, IDs and PINs; the URL', 'en-US')).toBe("U R L's, C E O's, I D's and PINs; the U R L");
    expect(said('K8s takes 8s', 'en-US')).toBe('K eight s takes eight seconds');
    expect(said('2 000 000 people, 10 000 cars and 1 234 567 $', 'en-US')).toBe(
      'two million people, ten thousand cars and one million two hundred thirty-four thousand five hundred sixty-seven dollars',
    );
    expect(said('rooms 100 200 300', 'en-US')).toBe('rooms one hundred two hundred three hundred');
    expect(said('Telefónica, S. A. y otra S. L. Pero S. Juan', 'es-ES')).toBe(
      'Telefónica, sociedad anónima y otra sociedad limitada. | Pero san Juan',
    );
  });

  it('do not end a sentence in languages without rules', () => {
    expect(said('Mødet er kl. 14.30, nr. 5, ca. 3 stk. i dag. Kom nu.', 'da-DK')).toBe(
      'Mødet er klokken 14 30, nummer 5, cirka 3 styk i dag. | Kom nu.',
    );
    expect(said('Kl. 9.05–17.00, fra 18:30; 3.50 kr. og 1.2.3', 'nb-NO')).toBe(
      'klokken 9 0 5–17, fra 18 30; 3.50 kr. og 1.2.3',
    );
    expect(said('Æbler, pærer osv. Kom nu.', 'nb-NO')).toBe('Æbler, pærer og så videre. | Kom nu.');
    expect(said('t. ex. kl. 9 osv.', 'sv-SE')).toBe('till exempel klockan 9 och så vidare.');
  });
});

describe('punctuation with spaces before it', () => {
  it.each([' ', '\u00a0', '\u202f'])('is heard like a mark of the word before it: %j', (space) => {
    const glued = 'Il dit: bonjour– puis… rien; vous venez demain? Oui, ça va!';
    const free = glued.replace(/[:–…;?,!]/gu, `${space}$&`);
    expect(said(free, 'fr-FR')).toBe(said(glued, 'fr-FR'));
    expect(said(`Habari${space}? Nzuri`, 'sw-KE')).toBe('Habari? | Nzuri');
    expect(said(`いいですか${space}？ はい`, 'ja-JP')).toContain('か？ | ');
  });

  it('is a pause where it separates words, and nothing beside another mark', () => {
    expect(said('Yes / no | maybe · later • never', 'en-US')).toBe('Yes, no, maybe, later, never');
    expect(said('Really? / Yes. | No', 'en-US')).toBe('Really? Yes. No');
    expect(said('Lunch and/or tea at 1/2 price', 'en-US')).toBe('Lunch and or tea at one half price');
  });

  it('is a dash between words, and part of the reading of figures', () => {
    expect(said('Yes - of course . Wait ... what ? !', 'en-US')).toBe('Yes– of course. | Wait... what?!');
    expect(said('10 - 3 = 7, or 5 km - 10 km .', 'en-US')).toBe(
      'ten minus three equals seven, or five kilometers to ten kilometers.',
    );
    expect(said('Title\n- one\n- two', 'en-US')).toBe('Title | one | two');
    expect(said('« Oui ! » – Non. « Si ! » Bien. « Oh ! » dit-il', 'fr-FR')).toBe(
      'Oui! | Non. | Si! | Bien. | Oh! dit-il',
    );
  });

  it('is not part of a word, and may end a clause', () => {
    const text =
      'The first thing that you need to know – and there is more – is that all of it is for you : nothing else .';
    const phrases = [...prepareSentences(text, 'en-US', { quickStart: true })];
    expect(phrases.map(({ tokens, pause }) => [tokens.at(-1)!.text, pause])).toEqual([
      ['know', 'clause'],
      ['else', 'sentence'],
    ]);
    for (const { tokens } of phrases) {
      for (const { text: word, start, end } of tokens) expect(text.slice(start, end)).toBe(word);
    }
  });
});

describe('the Unicode forms of letters', () => {
  it.each([
    ['Für 5 € größere Äpfel am 3. März', 'de-DE'],
    ['l’été à Genève, 20 °C', 'fr-FR'],
    ['안녕하세요 여러분', 'ko-KR'],
    ['Việt Nam', 'vi-VN'],
  ])('are read like composed ones: %s', (text, locale) => {
    expect(text.normalize('NFD')).not.toBe(text.normalize('NFC'));
    expect(said(text.normalize('NFD'), locale)).toBe(said(text.normalize('NFC'), locale));
  });

  it.each([
    ['The ﬁrst ﬂight oﬀers 5 km', 'The first flight offers five kilometers', 'en-US'],
    ['Ｈｅｌｌｏ ｗｏｒｌｄ １２', 'Hello world twelve', 'en-US'],
    ['𝐁𝐨𝐥𝐝 𝒜𝓃𝒹 𝟓 𝔨𝔪', 'Bold And five kilometers', 'en-US'],
    ['Chapter Ⅷ', 'Chapter eight', 'en-US'],
    ['ｶﾞﾗｽ', 'ガラス', 'ja-JP'],
  ])('are read like plain ones: %s', (written, words, locale) => {
    expect(said(written, locale)).toBe(words);
  });

  it.each([
    ['ja-JP', '①②', '1 2'],
    ['en-US', '❸ and ㊱', '3 and 36'],
    ['en-US', '９：３０ and ３．５％', '9:30 and 3.5%'],
    ['en-US', '５０㎞ at ２０㎧', '50 km at 20 m/s'],
    ['ja-JP', '㈱山田', '株式会社山田'],
    ['ja-JP', '第Ⅳ章', '第4章'],
  ])('are read like plain ones in %s: %s', (locale, written, plain) => {
    expect(said(written, locale)).toBe(said(plain, locale));
  });

  it('keep signs, and the place of each word in the text', () => {
    expect(said('5 m² and ½ cup ™', 'en-US')).toBe('five square meters and one half cup ™');
    const text = 'Fu\u0308r ﬁt 𝐁𝐨𝐥𝐝 ? Ja';
    const tokens = [
      ...prepareSentences(text, 'de-DE', { sayings: [{ kind: 'words', words: 'dick', from: 8, to: 16 }] }),
    ].flatMap((sentence) => sentence.tokens);
    expect(tokens.map((token) => [token.text, token.start, token.spoken])).toEqual([
      ['Fu\u0308r', 0, 'Für'],
      ['ﬁt', 5, 'fit'],
      ['𝐁𝐨𝐥𝐝', 8, 'dick?'],
      ['Ja', 19, 'Ja'],
    ]);
    for (const { text: word, start, end } of tokens) expect(text.slice(start, end)).toBe(word);
  });
});

describe('a quick start', () => {
  it('splits a long first sentence at its clauses, and no other', () => {
    const text =
      'Of course, I can tell you more about it, its lessons, and what all of it costs. As I said, this is long enough, is it not?';
    const cut = [...prepareSentences(text, 'en-US', { quickStart: true })];
    expect(cut.map(({ tokens, pause }) => [tokens.at(-1)!.text, pause])).toEqual([
      ['it,', 'clause'],
      ['costs.', 'sentence'],
      ['not?', 'sentence'],
    ]);
    expect([...prepareSentences('Yes, of course.', 'en-US', { quickStart: true })]).toHaveLength(1);
  });

  it('reads numbers that are grouped as in another country', () => {
    expect(said('$1,234,567.89', 'es-ES')).toBe(
      'un millón doscientos treinta y cuatro mil quinientos sesenta y siete dólares con ochenta y nueve centavos',
    );
    expect(said('1,234.5 km', 'de-DE')).toBe('eintausendzweihundertvierunddreißig Komma fünf Kilometer');
    expect(said('€1.234,56', 'en-US')).toBe('one thousand two hundred thirty-four euros and fifty-six cents');
    expect(said('$1,500 o 2.5', 'es-MX')).toBe('mil quinientos dólares o dos punto cinco');
    expect(said('version 1.234.567', 'en-US')).toContain('dot');
  });

  it('reads coins of amounts with the currency in words', () => {
    expect(said('49,90 Euro oder 3,99 Pfund', 'de-DE')).toBe(
      'neunundvierzig Euro neunzig oder drei Pfund neunundneunzig',
    );
    expect(said('12,50 euros', 'fr-FR')).toBe('douze euros cinquante');
    expect(said('5.25 dollars and 5.255 dollars', 'en-US')).toBe(
      'five dollars and twenty-five cents and five point two five five dollars',
    );
    expect(said('12,50 Kilo', 'de-DE')).toBe('zwölf Komma fünf null Kilo');
  });

  it('reads codes in figures, and flights in pairs', () => {
    expect(said('order #AB-1234-5678 and #TGIF', 'en-US')).toBe(
      'order number AB-one two three four, five six seven eight and hashtag TGIF',
    );
    expect(said('USt DE123456789', 'de-DE')).toBe('USt DE eins zwei drei vier fünf sechs sieben acht neun');
    expect(said('flight UA 1549, UA 15', 'en-US')).toBe('flight UA fifteen forty-nine, UA fifteen');
    expect(said('la loi n° 78-17, 6-4', 'fr-FR')).toBe('la loi numéro soixante-dix-huit dix-sept, six à quatre');
  });

  it('reads the full stop of a unit in the middle of a sentence as part of it', () => {
    expect(said('It is 200 yds. away. He is 5 ft. tall.', 'en-US')).toBe(
      'It is two hundred yards away. | He is five feet tall.',
    );
    expect(said('We ran 3 mi. Then we sat.', 'en-US')).toBe('We ran three miles. | Then we sat.');
  });
});
