import { describe, expect, it } from 'vitest';
import { readAhead, speakableText } from './speech.js';

describe('speakableText', () => {
  it('turns control and invisible characters into spaces and leaves markup to be read', () => {
    expect(speakableText('a\u0000b\u001b[0m \u202e<b>c</b>\n')).toBe('a b [0m  <b>c</b>');
    expect(speakableText('می\u200cخواهم')).toBe('می\u200cخواهم');
    expect(speakableText(' \u200b\t\u0007 ')).toBeUndefined();
  });
});

describe('readAhead', () => {
  async function* counting(made: number[], options: { failAt?: number; closed?: () => void } = {}) {
    try {
      for (let number = 0; number < 6; number++) {
        made.push(number);
        if (number === options.failAt) throw new Error('no more');
        yield number;
      }
    } finally {
      options.closed?.();
    }
  }

  it('passes everything on in order, and makes the next elements while one is used', async () => {
    const made: number[] = [];
    const got: number[] = [];
    for await (const number of readAhead(counting(made), 2)) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (number === 0) expect(made).toEqual([0, 1, 2]);
      got.push(number);
    }
    expect(got).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('passes an error on after what came before it', async () => {
    const got: number[] = [];
    const reading = async () => {
      for await (const number of readAhead(counting([], { failAt: 2 }), 4)) got.push(number);
    };
    await expect(reading()).rejects.toThrow('no more');
    expect(got).toEqual([0, 1]);
  });

  it('closes the source when the reader stops', async () => {
    let closed = false;
    const noteClosing = () => {
      closed = true;
    };
    const source = counting([], { closed: noteClosing });
    for await (const number of readAhead(source, 2)) if (number === 1) break;
    expect(closed).toBe(true);
  });
});
