import { expect, it, vi } from 'vitest';
import { parseJsonBody } from './json.js';

const read = (text: string) => parseJsonBody(Buffer.from(text));
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, n]));
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

it('a body may have 1000 keys in each object, 200 levels, 200 000 lists, objects and keys, 500 000 values, and as many brackets and commas in its texts as it likes', () => {
  const text = `say "[{:,\\" `.repeat(100_000);
  for (const value of [
    { a: keys(1000), b: [keys(1000)] },
    JSON.parse(nested(200)),
    new Array(500_000).fill(0),
    new Array(199_999).fill([]),
    [text],
  ]) {
    expect(read(JSON.stringify(value))).toEqual(value);
  }
});

it.each([
  ['it has an object with more than 1000 keys', JSON.stringify({ a: [keys(1001)] })],
  ['it nests deeper than 200 levels', nested(201)],
  ['it has more than 500000 values', JSON.stringify(new Array(500_001).fill(0))],
  ['it has more than 200000 lists, objects and keys', `[${'{},'.repeat(1_700_000)}{}]`],
  ['it has more than 200000 lists, objects and keys', JSON.stringify(new Array(100_000).fill({ a: 0 }))],
])('%s: refused by its bytes, before it is parsed', (reason, body) => {
  const parse = vi.spyOn(JSON, 'parse');
  try {
    expect(() => read(body)).toThrow(reason);
    expect(parse).not.toHaveBeenCalled();
  } finally {
    parse.mockRestore();
  }
});

it('half of a surrogate pair is refused in texts and keys, a whole one is not', () => {
  expect(read('{"\\ud83d\\ude00":["\\ud83d\\ude00"]}')).toEqual({ '😀': ['😀'] });
  for (const body of ['["\\ud83d"]', '["\\ude00\\ud83d"]', '{"\\ude00":1}', '["\\u0000"]'])
    expect(() => read(body)).toThrow();
});
