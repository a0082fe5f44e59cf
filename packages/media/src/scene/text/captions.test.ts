import { beforeAll, describe, expect, it } from 'vitest';
import { loadCanvas } from '../objects/canvas.js';
import { type CaptionRequest, type CaptionTools, drawCaptions, drawLabel } from './captions.js';
import { openFonts } from './fonts.js';

let tools: CaptionTools;
beforeAll(async () => {
  tools = { library: await loadCanvas(), fonts: await openFonts() };
});

const FORMAT = { width: 1280, height: 720, fps: 25 } as const;

/** A cue whose words last half a second each. */
function request(text: string, more: Partial<CaptionRequest> = {}): CaptionRequest {
  const words = text.split(/\s+/).map((word, index) => ({ text: word, start: 1 + index / 2, end: 1.4 + index / 2 }));
  const cue = { start: 1, end: 1 + words.length / 2, text, words };
  return { style: 'words', cues: [cue], format: FORMAT, frames: 500, language: 'en', ...more };
}

const showsOf = (asked: CaptionRequest) => drawCaptions(asked, tools)?.shows ?? [];

describe('a label in the picture', () => {
  it.each([
    [1280, 720],
    [720, 1280],
    [720, 720],
  ] as const)('is in the upper left of %i × %i, all the time, and never wider than the frame', (width, height) => {
    for (const text of ['AI', 'Made with AI', 'KI-generiert', 'AI で作成', 'صُنع بالذكاء الاصطناعي', 'W'.repeat(60)]) {
      const { shows } = drawLabel({ text, format: { ...FORMAT, width, height }, frames: 50, language: null }, tools);
      const [show] = shows;
      expect([shows.length, show?.startFrame, show?.frames]).toEqual([1, 0, 50]);
      expect(show?.x).toBeLessThan(width * 0.03);
      expect(show?.y).toBeLessThan(height * 0.1);
      expect(show!.x + show!.picture.width).toBeLessThanOrEqual(width * 0.95);
      expect(show?.picture.height).toBeLessThan(Math.min(width, height) * 0.06);
      // White letters on a dark plate.
      const luma = [...show!.picture.y];
      expect(Math.max(...luma)).toBeGreaterThan(200);
      expect(luma[Math.floor(show!.picture.height / 2) * show!.picture.width + 3]).toBeLessThan(60);
    }
  });
});

describe('captions in the picture', () => {
  it('follow the speech, and mark each word while it is spoken', () => {
    const [plate, ...marks] = showsOf(request('Hello to all of you'));
    expect([plate?.startFrame, plate?.frames]).toEqual([25, 63]);
    expect(marks.map((mark) => mark.startFrame)).toEqual([25, 38, 50, 63, 75]);
    // A mark stays until the next word starts, so that nothing blinks between words.
    expect(marks.slice(0, -1).every((mark, at) => mark.startFrame + mark.frames === marks[at + 1]?.startFrame)).toBe(
      true,
    );
    // From left to right, on the plate.
    expect(marks.every((mark, at) => at === 0 || mark.x > marks[at - 1]!.x)).toBe(true);
    for (const mark of marks) {
      expect(mark.y).toBeGreaterThanOrEqual(plate!.y);
      expect(mark.y + mark.picture.height).toBeLessThanOrEqual(plate!.y + plate!.picture.height + 2);
    }
    expect(showsOf(request('Hello to all of you', { style: 'lines' }))).toHaveLength(1);
  });

  it('stay inside the safe area in every format, two lines at a time', () => {
    const long = Array.from({ length: 40 }, (_, n) => `word${n}`).join(' ');
    for (const [width, height] of [
      [1280, 720],
      [720, 1280],
      [720, 720],
    ] as const) {
      const shows = showsOf(request(long, { style: 'lines', format: { ...FORMAT, width, height } }));
      expect(shows.length).toBeGreaterThan(1);
      for (const [at, show] of shows.entries()) {
        expect(show.x).toBeGreaterThanOrEqual(width * 0.05);
        expect(show.x + show.picture.width).toBeLessThanOrEqual(width * 0.95);
        expect(show.y + show.picture.height).toBeLessThanOrEqual(height * 0.95);
        expect(show.picture.height).toBeLessThan(Math.min(width, height) * 0.2);
        // Pages follow one another without a gap.
        const next = shows[at + 1];
        if (next !== undefined) expect(show.startFrame + show.frames).toBe(next.startFrame);
      }
    }
  });

  it('move down, within the frame, where they would cover the mouth of a presenter', () => {
    const format = { ...FORMAT, width: 720, height: 1280 };
    const topOf = (chinY: number | null) => showsOf(request('Hello to all of you', { format, chinY }))[0]!.y;
    expect(topOf(700)).toBe(topOf(null));
    expect(topOf(1060)).toBeGreaterThan(1060);
    expect(topOf(1270)).toBeLessThan(1200);
  });

  it('run from right to left in such scripts, with numbers and Latin words in reading order', () => {
    const [, ...marks] = showsOf(request('مرحبا بكم ABC 123 اليوم'));
    const xs = marks.map((mark) => mark.x);
    const [hello, to, abc, digits, today] = xs as [number, number, number, number, number];
    expect(hello).toBeGreaterThan(to);
    expect(to).toBeGreaterThan(digits);
    expect(abc).toBeLessThan(digits);
    expect(today).toBeLessThan(abc);
  });

  it('break text without spaces, and shrink text that does not fit', () => {
    const chinese = '今天我们很高兴欢迎大家收看本公司第二季度的财务报告和未来的发展计划以及各个部门的年度总结';
    const words = [{ text: chinese, start: 1, end: 9 }];
    const cue = { start: 1, end: 9, text: chinese, words };
    const shows = showsOf(
      request('x', { cues: [cue], language: 'zh', format: { ...FORMAT, width: 720, height: 1280 } }),
    );
    expect(shows.length).toBeGreaterThan(8);
    for (const show of shows) expect(show.x + show.picture.width).toBeLessThanOrEqual(720);
    const [plate] = showsOf(request('W'.repeat(120)));
    expect(plate!.picture.width).toBeLessThanOrEqual(1280);
  });

  it('are empty during silence', () => {
    expect(drawCaptions(request('x', { cues: [] }), tools)).toBeNull();
  });
});
