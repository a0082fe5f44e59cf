import { parseDocument } from '@figurehead/contract/document';
import { describe, expect, it } from 'vitest';
import { atSpokenTimes } from './spoken-times.js';
import { planTimeline, type SpeechTrack } from './timeline.js';

const SPEECH = 'Our revenue grew. Revenue, again!';
/** A word every half second. */
const words = [...SPEECH.matchAll(/\w+/g)].map(({ 0: text, index }, nth) => ({
  text,
  textStart: index,
  textEnd: index + text.length,
  start: nth * 24_000,
  end: nth * 24_000 + 12_000,
}));
const track: SpeechTrack = { samples: 120_000, marks: { words, phonemes: [] }, energy: new Float32Array() };

function timesOf(animation: object, speech: SpeechTrack | null = track) {
  const slide = { speech: SPEECH, canvas: { objects: [{ type: 'rect', animation }] } };
  const { document } = parseDocument({ slides: [{ duration: 2 }, slide] });
  const time = planTimeline(document, [null, speech]).slides[1];
  const [, asked] = document.slides;
  if (asked === undefined || time === undefined) throw new Error('no slide');
  const spoken = atSpokenTimes({ slide: asked, time, speech }, document.data.fps).objects[0]?.animation;
  return { start: spoken?.startSeconds, exit: spoken?.exitAt };
}

describe('objects that wait for a word', () => {
  it('enter and leave at the start of the word, counted from the start of their slide', () => {
    // The speech begins 0.32 s into the slide: 0.3 s in whole frames.
    expect(timesOf({ startWord: 'revenue' })).toEqual({ start: 0.82, exit: null });
    expect(timesOf({ startWord: { text: 'revenue', nth: 2 }, exitWord: 'Again' })).toEqual({ start: 1.82, exit: 2.32 });
  });

  it('use the given second when the word is not spoken, or the speech is not known', () => {
    expect(timesOf({ startWord: 'profit', startTime: 1, exitWord: 'loss', exitTime: 3 })).toEqual({
      start: 1,
      exit: 3,
    });
    expect(timesOf({ startWord: 'revenue', startTime: 1 }, null)).toEqual({ start: 1, exit: null });
  });
});
