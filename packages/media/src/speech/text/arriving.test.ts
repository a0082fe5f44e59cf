import { afterEach, describe, expect, it, vi } from 'vitest';
import { ArrivingText } from './arriving.js';

/** The units of pieces that arrive without a pause. */
async function unitsOf(pieces: readonly string[], locale = 'en-US'): Promise<string[]> {
  const text = new ArrivingText(locale);
  for (const piece of pieces) text.append(piece);
  const units: string[] = [];
  const done = (async () => {
    for await (const unit of text.units(new AbortController().signal)) units.push(unit.text.trim());
  })();
  text.end();
  await done;
  return units;
}

/** The units that each piece of a text completes, and those of its end. */
async function unitsByPiece(pieces: readonly string[], locale = 'en-US'): Promise<string[][]> {
  const text = new ArrivingText(locale);
  const all: string[][] = [];
  let current: string[] = [];
  const reading = (async () => {
    for await (const unit of text.units(new AbortController().signal)) current.push(unit.text);
  })();
  for (const piece of pieces) {
    current = [];
    all.push(current);
    text.append(piece);
    // Lets the reader read all available units; no time passes.
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
  current = [];
  all.push(current);
  text.end();
  await reading;
  return all;
}

const letters = (text: string): string[] => text.split('');

afterEach(() => void vi.useRealTimers());

describe('text that arrives in pieces', () => {
  it('is spoken from its first complete clause on, then sentence by sentence', async () => {
    const pieces = ['Well, of course,', ' I', ' can help. ', 'It', ' is easy', '. Look', ' here'];
    expect(await unitsByPiece(pieces)).toEqual([
      [],
      ['Well, of course,'],
      [],
      [],
      [' I can help.'],
      [],
      [' It is easy.'],
      [' Look here'],
    ]);
  });

  it('keeps punctuation with a space before it in the unit of the words before it', async () => {
    const pieces = ['Alors, mon ami : ', 'vous', ' venez demain\u202f', '?', ' Oui', ' !'];
    expect((await unitsByPiece(pieces, 'fr-FR')).flat()).toEqual([
      'Alors, mon ami :',
      ' vous venez demain\u202f?',
      ' Oui !',
    ]);
  });

  it('gives the same units whether it arrives letter by letter or at once', async () => {
    const text =
      'Dr. Smith paid $3.50 on 3. May. “Really?” she asked – 👩‍👩‍👧 and left… Then, at 10 a.m., he slept. Good.';
    const byLetter = (await unitsByPiece(letters(text))).flat();
    expect(byLetter.join('')).toBe(text);
    expect(byLetter.slice(0, 2)).toEqual([
      'Dr. Smith paid $3.50 on 3. May.',
      ' “Really?” she asked – 👩‍👩‍👧 and left…',
    ]);
    expect((await unitsOf([text])).join(' ')).toBe(text);
  });

  it('waits for the word after a full stop, which may follow an ordinal, a figure or an abbreviation', async () => {
    expect((await unitsByPiece(['Am 3.', ' Ma', 'i kommt er.'], 'de-DE')).flat()).toEqual(['Am 3. Mai kommt er.']);
    expect((await unitsByPiece(['It is 3.', '14 or more. ', 'Yes, it'])).flat()).toEqual([
      'It is 3.14 or more.',
      ' Yes, it',
    ]);
  });

  it('splits sentences in scripts without spaces', async () => {
    expect((await unitsByPiece(letters('今日は良い天気です。散歩に行きましょう。明日も。'), 'ja-JP')).flat()).toEqual([
      '今日は良い天気です。',
      '散歩に行きましょう。',
      '明日も。',
    ]);
  });

  it('accepts a sentence as complete when nothing follows for a moment', async () => {
    vi.useFakeTimers();
    const text = new ArrivingText('en-US');
    const units = text.units(new AbortController().signal);
    text.append('Let me see. ');
    const first = units.next();
    await vi.advanceTimersByTimeAsync(1000);
    expect((await first).value).toMatchObject({ text: 'Let me see.', start: 0 });
    text.append('By Dr.');
    const later = units.next();
    // A sentence does not end with a title, however long the pause is.
    await vi.advanceTimersByTimeAsync(60_000);
    text.append(' Who.');
    text.end();
    expect((await later).value).toMatchObject({ text: ' By Dr. Who.', start: 11 });
    expect((await units.next()).done).toBe(true);
  });

  /** A model of 100 ms a token. */
  const model = async (text: string, locale: string, tokens: readonly string[]) => {
    vi.useFakeTimers();
    const arriving = new ArrivingText(locale);
    let ms = 0;
    const units: { text: string; ms: number }[] = [];
    const reading = (async () => {
      for await (const unit of arriving.units(new AbortController().signal)) units.push({ text: unit.text, ms });
    })();
    for (const token of tokens) {
      arriving.append(token);
      for (const end = ms + 100; ms < end; ) {
        ms += 10;
        await vi.advanceTimersByTimeAsync(10);
      }
    }
    arriving.end();
    await reading;
    expect(units.map((unit) => unit.text).join('')).toBe(text);
    return units;
  };

  it.each([
    ['en-US', 'Well, of course I can help you with that and many other things that you may want to know about us.'],
    ['en-US', 'The museum opens every day of the week at nine in the morning and closes late in the evening'],
    ['en-US', 'Unfortunately we cannot sell more than a few of these tickets to groups that come without a guide.'],
    ['en-US', 'It is (as far as we here know) the oldest house of the town that you can still visit today.'],
    ['de-DE', 'Das Museum öffnet jeden Tag um neun Uhr und schließt abends, sobald die letzten Gäste gegangen sind.'],
    ['ja-JP', '博物館は毎日朝から夜まで開いていて月曜日だけは休みになりますのでご注意ください。'],
  ])(
    'gives the voice its first words within 0.7 s of the first token, whatever the sentence (%s, %s)',
    async (locale, text) => {
      const tokens = locale === 'ja-JP' ? (text.match(/../gsu) ?? []) : (text.match(/\s*\S+/gu) ?? []);
      const all = tokens.join('').length < text.length ? [...tokens, text.slice(tokens.join('').length)] : tokens;
      const units = await model(text, locale, all);
      expect(units[0]!.ms).toBeLessThanOrEqual(700);
      // The voice never waits: 14 characters are a second of speech.
      let spokenMs = units[0]!.ms;
      for (const { text: unit, ms } of units) {
        expect(ms).toBeLessThanOrEqual(Math.max(spokenMs, units[0]!.ms));
        spokenMs += (unit.length * 1000) / 14;
      }
    },
  );

  it('does not end a unit between figures, abbreviations and what they belong to', async () => {
    const text = 'He paid about 3.50 to Dr. Smith on 3 May and left the old town for good.';
    const units = await model(text, 'en-US', text.match(/\s*\S+/gu) ?? []);
    expect(units.length).toBeGreaterThan(1);
    for (const unit of units.slice(0, -1)) expect(unit.text).toMatch(/[a-z]$/u);
    expect(units.some((unit) => /(?:Dr\.|3|3\.50)$/u.test(unit.text))).toBe(false);
  });

  it('does not split tags, and treats SSML as one unit', async () => {
    const units = (await unitsByPiece(letters('One thing, <break time="1s"/> then two. Three is'))).flat();
    expect(units).toEqual(['One thing,', ' <break time="1s"/> then two.', ' Three is']);
    const ssml = '<speak>One. Two. <mark name="a"/> Three.</speak>';
    expect((await unitsByPiece(letters(ssml))).flat()).toEqual([ssml]);
  });

  it('joins surrogate pairs, and ignores blank pieces', async () => {
    expect(await unitsOf(['Smile \ud83d', '\ude00 now.'])).toEqual(['Smile 😀 now.']);
    expect(await unitsOf(['', ' ', '\n'])).toEqual([]);
  });

  it('splits endless text without losing a letter', async () => {
    const text = 'word '.repeat(1400);
    const units = (await unitsByPiece(text.match(/.{1,7}/gsu) ?? [])).flat();
    expect(units.length).toBeGreaterThan(20);
    expect(units.join('').trimEnd()).toBe(text.trimEnd());
  });

  it('stops immediately when its reader aborts', async () => {
    const text = new ArrivingText('en-US');
    const stop = new AbortController();
    const next = text.units(stop.signal).next();
    stop.abort(new Error('no more'));
    await expect(next).rejects.toThrow('no more');
  });
});
