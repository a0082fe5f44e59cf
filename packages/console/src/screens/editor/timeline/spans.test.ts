import { describe, expect, it } from 'vitest';
import { clockOf, drawnToWord, guessedTrack, nextWord, spanOf, withSpan } from './spans.js';

const words = ['Our', 'revenue', 'grew', 'revenue'].map((text, index) => ({ text, start: index, end: index + 0.5 }));
const clock = clockOf({ id: 1 }, { words, duration: 4 }, 25);
const rect = (animation?: object | string) =>
  ({ type: 'rect', ...(animation !== undefined && { animation }) }) as never;
const START = { second: 0, word: undefined };

describe('the time span of an object', () => {
  it('uses the timing of rendering: a short pause before the first word and after the last', () => {
    expect(clock).toMatchObject({ lead: 0.32, length: 4.82 });
    expect(clockOf({ id: 1, duration: 9 }, { words, duration: 4 }, 25).length).toBe(9);
    expect(clockOf({ id: 1 }, undefined, 25).length).toBe(3);
  });

  it('starts and ends with the slide, at a time, or at a word', () => {
    expect(spanOf(rect(), clock)).toMatchObject({ start: 0, end: 4.82 });
    expect(spanOf(rect({ type: 'pop', startTime: 2, exitTime: 3 }), clock)).toMatchObject({ start: 2, end: 3 });
    expect(spanOf(rect({ startWord: { text: 'Revenue', nth: 2 } }), clock).start).toBeCloseTo(3.32);
    expect(spanOf(rect({ startWord: 'profit', startTime: 1 }), clock).start).toBe(1);
  });

  it('snaps to a word within reach, and not beyond it', () => {
    expect(drawnToWord(1.3, clock, 0.1)).toEqual({ second: 1.32, word: { text: 'revenue', nth: 1 } });
    expect(drawnToWord(3.4, clock, 0.1)).toEqual({ second: 3.32, word: { text: 'revenue', nth: 2 } });
    expect(drawnToWord(1.8, clock, 0.1)).toEqual({ second: 1.8, word: undefined });
    expect(drawnToWord(99, clock, 0.1)).toEqual({ second: 4.82, word: undefined });
  });

  it('moves from word to word by the keyboard, and after the last word to the end of the slide', () => {
    expect(nextWord(1.32, 1, clock).word).toEqual({ text: 'grew', nth: 1 });
    expect(nextWord(1.32, -1, clock).word).toEqual({ text: 'Our', nth: 1 });
    expect(nextWord(0.32, -1, clock)).toEqual({ second: 0, word: undefined });
  });

  it('is stored with word and time, keeps entrance and exit, and omits default values', () => {
    const late = withSpan(rect('fade_in'), { start: drawnToWord(1.3, clock, 0.1) }, clock);
    expect(late).toEqual({ type: 'fade_in', startTime: 1.32, startWord: { text: 'revenue', nth: 1 } });
    const gone = withSpan(rect(late as object), { end: { second: 3, word: undefined }, exit: 'fade_out' }, clock);
    expect(gone).toMatchObject({ type: 'fade_in', startTime: 1.32, exitTime: 3, exitType: 'fade_out' });
    const back = withSpan(
      rect(gone as object),
      { start: START, end: { second: 4.82, word: undefined }, exit: 'none' },
      clock,
    );
    expect(back).toBe('fade_in');
  });

  it('estimates the times of words from their letters until the speech has been synthesized', () => {
    const guess = guessedTrack({ id: 1, speech: 'Hello, <break time="1s"/> wonderful world – yes.' });
    expect(guess?.words.map(({ text }) => text)).toEqual(['Hello,', 'wonderful', 'world', 'yes.']);
    expect(guess?.words.at(-1)?.end).toBeCloseTo(guess?.duration ?? 0);
    expect(guess?.url).toBeUndefined();
    expect(guessedTrack({ id: 1, speech: '  …  ' })).toBeUndefined();
    const recorded = { id: 1, voiceType: 'audio', recording: { src: 'https://media.example/voice.wav' } };
    expect(guessedTrack(recorded)?.duration).toBeGreaterThan(0);
    expect(guessedTrack({ ...recorded, speech: 'Hello there.' })?.words).toHaveLength(2);
    expect(guessedTrack({ ...recorded, recording: null, speech: 'Hello there.' })).toBeUndefined();
  });
});
