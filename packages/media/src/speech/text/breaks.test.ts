import { expect, it } from 'vitest';
import { splitBreaks, withoutBreaks } from './breaks.js';

it('cuts a script at its breaks, pieces at their places in the whole', () => {
  expect(splitBreaks('Hello <break time="1s"/>world<break time=\'250ms\' />.')).toEqual([
    { kind: 'text', text: 'Hello ', start: 0 },
    { kind: 'pause', samples: 48_000 },
    { kind: 'text', text: 'world', start: 24 },
    { kind: 'pause', samples: 12_000 },
    { kind: 'text', text: '.', start: 51 },
  ]);
});

it('knows strengths and typographic quotes, and shortens endless pauses', () => {
  const pauses = ['<break/>', '<break strength="strong"/>', '<break time=“2s”/>', '<break time="900s"/>'].flatMap(
    splitBreaks,
  );
  expect(pauses).toEqual([24_000, 38_400, 96_000, 480_000].map((samples) => ({ kind: 'pause', samples })));
});

it('leaves all other markup as text', () => {
  expect(splitBreaks('a < b and <c>')).toEqual([{ kind: 'text', text: 'a < b and <c>', start: 0 }]);
});

it('blanks breaks out for subtitles without moving what follows', () => {
  expect(withoutBreaks('Hello<break time="0.5s"/>world')).toBe(`Hello${' '.repeat(20)}world`);
});
