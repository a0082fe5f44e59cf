import { type Field, isRecord, number, readValue, special, text } from './field.js';

/** A word of a slide's speech; the first one of its kind is `nth` 1. */
export interface WordAnchor {
  readonly text: string;
  readonly nth: number;
}

const NTH = number({ default: 1, type: 'integer', minimum: 1, maximum: 10_000 });
const WORD = text({ default: '', maxLength: 200 });

/** A time as a word of the slide's speech: the word itself, or `{text, nth}` when it occurs more than once. */
export function wordAnchor(description: string): Field<string | WordAnchor | null, WordAnchor | null> {
  const schema = {
    description,
    examples: ['revenue'],
    anyOf: [WORD, { type: 'object', required: ['text'], properties: { text: WORD, nth: NTH } }],
  };
  return special(schema, (raw, place) => {
    if (raw === undefined || raw === null) return null;
    const source = isRecord(raw) ? raw : { text: raw };
    const word = readValue(WORD, source['text'], place.at('text'));
    return plainWord(word) === '' ? null : { text: word, nth: readValue(NTH, source['nth'], place.at('nth')) };
  });
}

/**
 * The spoken word that an anchor names, without regard to case and punctuation; `undefined` when it does not occur that
 * often.
 */
export function wordAt<W extends { readonly text: string }>(words: readonly W[], anchor: WordAnchor): W | undefined {
  const wanted = plainWord(anchor.text);
  return words.filter((word) => plainWord(word.text) === wanted)[anchor.nth - 1];
}

/** The anchor of the word at `index`, without the punctuation around it. */
export function anchorOf(words: readonly { readonly text: string }[], index: number): WordAnchor | undefined {
  const word = words[index];
  if (word === undefined || plainWord(word.text) === '') return undefined;
  const same = words.slice(0, index + 1).filter((one) => plainWord(one.text) === plainWord(word.text));
  const letters = [...word.text];
  const isSpoken = (letter: string) => plainWord(letter) !== '';
  const text = letters.slice(letters.findIndex(isSpoken), letters.findLastIndex(isSpoken) + 1).join('');
  return { text, nth: same.length };
}

function plainWord(word: string): string {
  return word
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
