import { describe, expect, it } from 'vitest';
import { silence } from '../audio.js';
import type { Utterance } from '../speech/contract.js';
import { joinScript, parseScript, withoutBreaks } from './script.js';

function spoken(text: string, samples: number): Utterance {
  const word = { text, textStart: 0, textEnd: text.length, start: 10, end: samples };
  return {
    samples: silence(samples),
    marks: { words: [word], phonemes: [{ phone: 'a', stress: 0, start: 0, end: samples }] },
  };
}

describe('a slide’s speech', () => {
  it('is cut at its breaks', () => {
    expect(parseScript('Hello <break time="1s"/>world<break time=\'250ms\' />.')).toEqual([
      { kind: 'text', text: 'Hello ', start: 0 },
      { kind: 'pause', samples: 48_000 },
      { kind: 'text', text: 'world', start: 24 },
      { kind: 'pause', samples: 12_000 },
    ]);
  });

  it('keeps other markup as text', () => {
    expect(parseScript('a < b and <c>')).toEqual([{ kind: 'text', text: 'a < b and <c>', start: 0 }]);
  });

  it('is joined again with words at their places in the whole speech', () => {
    const speech = 'Hello<break time="0.5s"/>world';
    const utterance = joinScript(parseScript(speech), [spoken('Hello', 1000), spoken('world', 2000)]);
    expect(utterance.samples.length).toBe(1000 + 24_000 + 2000);
    for (const word of utterance.marks.words) expect(speech.slice(word.textStart, word.textEnd)).toBe(word.text);
    expect(utterance.marks.words[1]?.start).toBe(25_010);
    expect(withoutBreaks(speech)).toHaveLength(speech.length);
  });
});
