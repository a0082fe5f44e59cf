import { expect, it } from 'vitest';
import { expectLinearIn } from '../../../../../tests/support/growth.js';
import { SpeechError } from '../contract.js';
import { prepareSentences } from './prepare.js';
import { readScript, shownText } from './script.js';

/** Pieces with the offset of their text in the script. */
const pieces = (script: string) =>
  readScript(script).map((piece) =>
    piece.kind === 'text' ? { kind: piece.kind, text: piece.text, start: piece.placeOf(0).from } : piece,
  );
it('splits a script at its breaks, with the offset of each piece', () => {
  expect(pieces('Hello <break time="1s"/>world<break time=\'250ms\' />.')).toEqual([
    { kind: 'text', text: 'Hello ', start: 0 },
    { kind: 'pause', samples: 48_000 },
    { kind: 'text', text: 'world', start: 24 },
    { kind: 'pause', samples: 12_000 },
    { kind: 'text', text: '.', start: 51 },
  ]);
});

it('accepts strengths and typographic quotes, and limits long pauses', () => {
  const pauses = ['<break/>', '<break strength="strong"/>', '<break time=“2s”/>', '<break time="900s"/>'].flatMap(
    pieces,
  );
  expect(pauses).toEqual([24_000, 38_400, 96_000, 480_000].map((samples) => ({ kind: 'pause', samples })));
});

it('leaves all other markup as text', () => {
  expect(pieces('a < b and <c>')).toEqual([{ kind: 'text', text: 'a < b and <c>', start: 0 }]);
});

it('replaces breaks by spaces for subtitles without moving later text', () => {
  expect(shownText('Hello<break time="0.5s"/>world')).toBe(`Hello${' '.repeat(20)}world`);
});

const ssml = (inner: string): string => `<speak>${inner}</speak>`;

/** The sentences of SSML in the form for an engine. */
const said = (script: string, locale = 'en-US'): string[] =>
  readScript(script).flatMap((piece) =>
    piece.kind === 'text'
      ? [...prepareSentences(piece.text, piece.locale ?? locale, { sayings: piece.sayings })].map(({ tokens }) =>
          tokens
            .map(({ spoken }) => spoken)
            .filter((spoken) => spoken !== '')
            .join(' '),
        )
      : [`(${piece.kind})`],
  );

/** The error message for malformed SSML. */
function refusal(script: string): string {
  try {
    readScript(script);
    return '';
  } catch (error) {
    if (error instanceof SpeechError && error.code === 'bad_option') return error.message;
    throw error;
  }
}

it('reads SSML into the same pieces as plain text', () => {
  expect(pieces(ssml('Hello <break time="1s"/>world'))).toEqual([
    { kind: 'text', text: 'Hello ', start: 7 },
    { kind: 'pause', samples: 48_000 },
    { kind: 'text', text: 'world', start: 31 },
  ]);
  expect(said(ssml('<p><s>One</s><s>Two</s></p>\n<p>Three\nfour</p>'))).toEqual(['One', 'Two', 'Three four']);
});

it('follows the instructions of the script', () => {
  expect(said(ssml('The <sub alias="World Wide Web Consortium">W3C</sub>, 5 km.'))).toEqual([
    'The World Wide Web Consortium, five kilometers.',
  ]);
  expect(said(ssml('<sub alias="x">Dr. A. Is</sub> late.'))).toEqual(['x late.']);
  expect(
    said(ssml('<say-as interpret-as="characters">FBI</say-as>, <say-as interpret-as="digits">12</say-as>')),
  ).toEqual(['F B I, one two']);
  expect(
    said(ssml('<say-as interpret-as="ordinal">3</say-as> of <say-as interpret-as="cardinal">1999</say-as>')),
  ).toEqual(['third of one thousand nine hundred ninety-nine']);
  expect(said(ssml('<say-as interpret-as="date" format="dmy">5/12/2026</say-as>'), 'de-DE')).toEqual([
    'fünfter Dezember zweitausendsechsundzwanzig',
  ]);
  expect(said(ssml('Je dis <lang xml:lang="de">12 Uhr</lang> ici'), 'fr-FR')).toEqual(['Je dis', 'zwölf Uhr', 'ici']);
});

it('replaces entities by characters, and keeps the offset of each word in the script', () => {
  const script = ssml('Caf&#233; &amp; bar, &lt;b&gt;');
  const [piece] = readScript(script);
  if (piece?.kind !== 'text') throw new Error('expected text');
  expect(piece.text).toBe('Café & bar, <b>');
  const at = piece.text.indexOf('bar');
  expect(script.slice(piece.placeOf(at).from, piece.placeOf(at + 2).to)).toBe('bar');
  expect(shownText(script)).toHaveLength(script.length);
  expect(
    shownText(script)
      .replace(/\u2060/gu, '')
      .trim(),
  ).toBe('Café & bar, <b>');
});

it.each([
  ['comments', 'Hello <!-- a note > with marks -->there.<!---->'],
  ['processing instructions', '<?xml version="1.0"?><speak>Hello <?player loud="1"?>there.</speak>'],
  ['CDATA', 'Hello <![CDATA[there]]>.'],
])('speaks and shows nothing of the markup of %s', (_, inner) => {
  const script = inner.startsWith('<?') ? inner : ssml(inner);
  expect(pieces(script)).toMatchObject([{ kind: 'text', text: 'Hello there.', start: script.indexOf('Hello') }]);
  const shown = shownText(script);
  expect(shown).toHaveLength(script.length);
  expect(shown.split(/\s+/u).join(' ').trim().replace(' .', '.')).toBe('Hello there.');
});

it.each([
  ['Hello <!-- note --> there.', 'Hello there.'],
  ['<!-- first\nline -->Hello <!----> there.', 'Hello there.'],
  ['5 < 6 <!-- a --> and 7 > 6', '5 < 6 and 7 > 6'],
  ['Hello <!-- that never ends', 'Hello <!-- that never ends'],
])('speaks and shows no comments of plain text, which keeps its offsets: %j', (script, heard) => {
  const [piece] = readScript(script);
  if (piece?.kind !== 'text') throw new Error('expected text');
  expect(piece.text.split(/\s+/u).join(' ').trim()).toBe(heard);
  expect(shownText(script)).toHaveLength(script.length);
  expect(shownText(script).split(/\s+/u).join(' ').trim()).toBe(heard);
});

it('reports line and column of an error', () => {
  expect(refusal('<speak>\n  Hello <voice name="x">you</voice>\n</speak>')).toContain('line 2, column 9: <voice>');
  expect(refusal(ssml('<prosody rate="slow">Hello'))).toMatch(
    /<prosody> at line 1, column 8 is not closed|unexpected close tag/u,
  );
  expect(refusal('<speak>Hello <emphasis>you')).toContain('<emphasis> at line 1, column 14 is not closed');
  expect(refusal(ssml('<prosody rate="900%">x</prosody>'))).toContain('expected rate to be x-slow');
  expect(refusal(ssml('<prosody pitch="+300%">x</prosody>'))).toContain('-50% to +100%');
  expect(refusal(ssml('<break time="90s"/>'))).toContain('0s to 10s');
  expect(refusal(ssml('<emphasis level="wild">x</emphasis>'))).toContain('strong, moderate, none, reduced');
  expect(refusal(ssml('<say-as interpret-as="poem">x</say-as>'))).toContain('characters, cardinal');
  expect(refusal(ssml('<sub>x</sub>'))).toContain('the attribute alias is missing');
  expect(refusal(ssml('<sub alias="y">x<break/></sub>'))).toContain('<sub> holds only text');
  expect(refusal(ssml('<lang xml:lang="not a tag">x</lang>'))).toContain('BCP 47');
  expect(refusal(ssml('a & b'))).toContain('line 1, column');
  expect(refusal(ssml('<mark name="x" size="2"/>'))).toContain('the attribute size is not supported');
});

it('refuses entity bombs, and deep nesting in linear time', async () => {
  const bomb = '<?xml version="1.0"?><!DOCTYPE speak [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><speak>&b;</speak>';
  expect(refusal(bomb)).toContain('line 1, column 22: a document type is not allowed');
  expect(refusal(ssml('&lol;'))).toContain('undefined entity');
  await expectLinearIn(5000, (depth) => {
    const deep = ssml(`${'<prosody rate="slow">'.repeat(depth)}x${'</prosody>'.repeat(depth)}`);
    return () => expect(refusal(deep)).toContain('nested more than 32 deep');
  });
});

it('multiplies nested prosody within the supported range', () => {
  const [piece] = readScript(ssml('<prosody rate="50%"><prosody rate="50%" pitch="+2st">slow</prosody></prosody>'));
  expect(piece).toMatchObject({
    sayings: [{ kind: 'prosody', prosody: { rate: 0.5, pitch: 2 ** (2 / 12) }, from: 0, to: 4 }],
  });
});
