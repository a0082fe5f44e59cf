import { parseDocument } from '@figurehead/contract/document';
import { energyOf } from '@figurehead/presenter/sound';
import { describe, expect, it } from 'vitest';
import { silence } from '../../audio.js';
import { planTimeline, type SpeechTrack } from './timeline.js';

/** A speech of `text` in which every word lasts 0.3 s, without gaps. */
function track(text: string, wordSeconds = 0.3): SpeechTrack {
  const length = wordSeconds * 48_000;
  const words = Array.from(text.matchAll(/[\p{L}\p{N}’']+/gu), (match, index) => ({
    text: match[0],
    textStart: match.index,
    textEnd: match.index + match[0].length,
    start: index * length,
    end: (index + 1) * length,
  }));
  const samples = words.length * length;
  return { samples, marks: { words, phonemes: [] }, energy: energyOf(silence(samples)) };
}

const LONG =
  'Welcome to this short tour, in which we look at what a slide can hold: text, pictures, clips and a presenter. ' +
  'Every word has its time. “Even this one,” she said, and smiled!';

describe('the timeline', () => {
  it('makes a slide as long as the longer of its speech and its duration', () => {
    const { document } = parseDocument({
      slides: [{ speech: 'a b c' }, { speech: 'a', duration: 4 }, { duration: 2 }],
    });
    const timeline = planTimeline(document, [track('a b c'), track('a'), null]);
    expect(timeline.slides.map((slide) => slide.frames)).toEqual([8 + Math.ceil((0.9 + 0.5) * 25), 100, 50]);
    expect(timeline.frames).toBe(timeline.slides.reduce((sum, slide) => sum + slide.frames, 0));
    expect(timeline.slides[2]?.speechStart).toBeNull();
  });

  it('starts every speech at a frame’s first sample', () => {
    for (const fps of [25, 30, 50, 60]) {
      const { document } = parseDocument({ slides: [{ speech: 'x y' }, { speech: 'z' }], data: { fps } });
      const timeline = planTimeline(document, [track('x y', 0.317), track('z', 0.211)]);
      for (const slide of timeline.slides) expect((slide.speechStart ?? 0) % (48_000 / fps)).toBe(0);
      expect(timeline.samples).toBe((timeline.frames * 48_000) / fps);
    }
  });

  it('is in the language that is spoken longest', () => {
    const { document } = parseDocument({ slides: [{ speech: 'a' }, { speech: 'b c d' }, { speech: 'e' }, {}] });
    const spoken = [{ ...track('a'), language: 'en-US' }, { ...track('b c d'), language: 'de-DE' }, track('e'), null];
    expect(planTimeline(document, spoken).language).toBe('de-DE');
    expect(planTimeline(document, [null, null, track('e'), null]).language).toBeUndefined();
  });

  it('makes cues of at most two lines of 42 characters that neither overlap nor drop a letter', () => {
    const { document } = parseDocument({ slides: [{ speech: LONG }] });
    const { cues } = planTimeline(document, [track(LONG)]);
    expect(cues.map((cue) => cue.text.replaceAll('\n', ' ')).join(' ')).toBe(LONG);
    for (const [index, cue] of cues.entries()) {
      const lines = cue.text.split('\n');
      expect(lines.length).toBeLessThanOrEqual(2);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(42);
      expect(cue.end).toBeLessThanOrEqual(cues[index + 1]?.start ?? Number.POSITIVE_INFINITY);
      expect(cue.end - cue.start).toBeLessThanOrEqual(7.4);
      expect(cue.words[0]?.start).toBeCloseTo(cue.start, 6);
    }
  });

  it('names chapters after titles, then after the largest text', () => {
    const text = { type: 'text', text: 'Small', fontSize: 10 };
    const { document } = parseDocument({
      slides: [
        { duration: 1, canvas: { objects: [text, { ...text, text: 'Large\nline', fontSize: 50 }] } },
        { duration: 1 },
        { duration: 1, title: 'Own' },
      ],
    });
    const { chapters } = planTimeline(document, [null, null, null]);
    expect(chapters.map((chapter) => chapter.title)).toEqual(['Large', 'Slide 2', 'Own']);
    expect(chapters[1]).toMatchObject({ start: 1, end: 2 });
  });
});
