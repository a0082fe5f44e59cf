import { describe, expect, it } from 'vitest';
import { withStoredTypes } from '../schemas/stored-types.js';
import { VideoInput } from '../schemas/video.js';
import { type ParsedDocument, parseDocument } from './document.js';
import { MAX_OBJECTS, type TextObject } from './objects/index.js';
import { MAX_TEXT } from './objects/text.js';

function withObjects(...objects: unknown[]): ParsedDocument {
  return parseDocument({ slides: [{ id: 1, canvas: { objects } }] });
}

function errors(parsed: ParsedDocument): string[] {
  return parsed.problems.filter((problem) => problem.level === 'error').map((problem) => problem.path);
}

describe('a video document', () => {
  it('uses Fabric’s defaults for missing values and ignores unknown keys', () => {
    const { document, problems } = withObjects({
      type: 'textbox',
      text: 'Hello',
      width: 100,
      nonsense: { deep: true },
    });
    expect(problems).toEqual([]);
    expect(document.slides[0]?.objects[0]).toMatchObject({
      type: 'textbox',
      lineHeight: 1.16,
      opacity: 1,
      angle: 0,
      style: { fontFamily: 'Times New Roman', fontSize: 40, fontWeight: 400 },
    });
  });

  // Proves: D.videos.12
  it('maps formats and resolutions to frames with even sides', () => {
    const sizeOf = (data: object): number[] => {
      const { width, height } = parseDocument({ slides: [{}], data }).document.data;
      return [width, height];
    };
    expect(sizeOf({})).toEqual([1920, 1080]);
    expect(sizeOf({ format: '9_16', resolution: 'HD' })).toEqual([720, 1280]);
    expect(sizeOf({ format: '1_1', resolution: '4K' })).toEqual([2160, 2160]);
    expect(sizeOf({ resolution: '720p' })).toEqual([1280, 720]);
  });

  it('speaks a recording while its voice type is "audio"; other voice types are stored as before and speak the text', () => {
    const recording = { src: 'https://media.example/voice.wav', name: 'Take 3' };
    const read = (slide: object) => {
      const { document, problems } = parseDocument({ slides: [{ id: 1, speech: 'Hello.', ...slide }] });
      return [document.slides[0]?.recording, problems.map(({ path, level }) => `${level} ${path}`)];
    };
    expect(read({ voiceType: 'audio', recording })).toEqual([recording.src, []]);
    for (const voiceType of ['text', 'upload', undefined, null, 7]) {
      expect(read({ voiceType, recording })).toEqual([null, []]);
    }
    for (const missing of [undefined, null, {}, { src: '' }, { src: 5 }, 'https://media.example/voice.wav']) {
      expect(read({ voiceType: 'audio', recording: missing })).toEqual([null, ['error slides[0].recording']]);
    }
  });

  it('names slide and object of values that cannot be drawn', () => {
    const parsed = withObjects(
      { type: 'rect', width: -4, height: 10 },
      { type: 'rect', left: 'NaN' },
      { type: 'rect', scaleX: 1e9 },
      { type: 'rect', fill: 'notacolor' },
      { type: 'image' },
      { type: 'rect', fill: { type: 'linear', coords: {}, colorStops: [] } },
      'what',
    );
    expect(errors(parsed)).toEqual([
      'slides[0].canvas.objects[0].width',
      'slides[0].canvas.objects[1].left',
      'slides[0].canvas.objects[2].scaleX',
      'slides[0].canvas.objects[3].fill',
      'slides[0].canvas.objects[4].src',
      'slides[0].canvas.objects[5].fill.colorStops',
      'slides[0].canvas.objects[6]',
    ]);
  });

  it('refuses ten thousand objects and a hundred thousand characters at once', () => {
    const many = withObjects(...Array.from({ length: 10_000 }, () => ({ type: 'rect', width: 1, height: 1 })));
    expect(many.problems).toHaveLength(1);
    expect(many.problems[0]?.message).toContain(String(MAX_OBJECTS));
    const long = withObjects({ type: 'textbox', width: 600, text: 'word '.repeat(20_000) });
    expect(long.problems[0]?.message).toContain(String(MAX_TEXT));
  });

  it('reports problems instead of throwing, whatever the input', () => {
    for (const source of [null, 3, 'x', [], {}, { slides: {} }, { slides: [null, 7, { canvas: 'x', avatar: 3 }] }]) {
      expect(parseDocument(source).problems.length).toBeGreaterThan(0);
    }
  });

  it('omits unknown kinds of objects with a warning', () => {
    const { document, problems } = withObjects({ type: 'hologram' });
    expect(document.slides[0]?.objects).toEqual([]);
    expect(problems).toMatchObject([{ path: 'slides[0].canvas.objects[0].type', level: 'warning' }]);
  });

  it('accepts both of Fabric’s forms of styles by letter', () => {
    const rangesOf = (styles: unknown): TextObject['ranges'] => {
      const object = withObjects({ type: 'text', text: 'ab\ncd👍🏽e', styles }).document.slides[0]?.objects[0];
      return object?.type === 'text' ? object.ranges : [];
    };
    expect(rangesOf([{ start: 1, end: 3, style: { fill: 'red' } }])).toEqual([
      { start: 1, end: 4, style: { fill: 'red' } },
    ]);
    expect(rangesOf({ 1: { 2: { fontWeight: 'bold' } } })).toEqual([{ start: 5, end: 9, style: { fontWeight: 700 } }]);
  });

  it('reads animations written in any case, with spaces, hyphens or underscores', () => {
    const { document, problems } = parseDocument({
      slides: [
        {
          animation: 'fadeIn',
          canvas: { objects: [{ type: 'rect', animation: { type: 'slide-in-left', exitType: 'fade_out' } }] },
        },
      ],
    });
    expect(problems).toEqual([]);
    expect(document.slides[0]?.animation?.entrance).toBe('fade_in');
    expect(document.slides[0]?.objects[0]?.animation).toMatchObject({ entrance: 'slide_in_left', exit: 'fade_out' });
  });

  it('accepts a word of the speech as the time of an entrance or an exit, with or without its number', () => {
    const timesOf = (animation: unknown) => withObjects({ type: 'rect', animation }).document.slides[0]?.objects[0];
    expect(timesOf({ type: 'pop', startWord: 'Revenue', startTime: 2 })).toMatchObject({
      animation: { startWord: { text: 'Revenue', nth: 1 }, startSeconds: 2, exitWord: null },
    });
    expect(timesOf({ exitWord: { text: 'end', nth: 3 } })).toMatchObject({
      animation: { entrance: 'none', startWord: null, exitWord: { text: 'end', nth: 3 } },
    });
    expect(timesOf({ startWord: ' … ' })).toMatchObject({ animation: null });
    expect(errors(withObjects({ type: 'rect', animation: { startWord: { text: 'a', nth: 0 } } }))).toEqual([
      'slides[0].canvas.objects[0].animation.startWord.nth',
    ]);
  });

  it('shows no presenter when the slide disables it', () => {
    const { document } = parseDocument({
      slides: [{ avatar: { code: 'ava' }, hasAvatar: false }, { avatar: { code: 'ava' } }],
    });
    expect(document.slides.map((slide) => slide.avatar)).toEqual([null, 'ava']);
  });

  it('distinguishes colours, pictures and clips as backgrounds', () => {
    const kinds = ['#123456', 'https://a.example/b.png', 'https://a.example/b.mp4?x=1', 'rgba(1,2,3,0.5)'].map(
      (background) => {
        return parseDocument({ slides: [{ canvas: { background } }] }).document.slides[0]?.background.kind;
      },
    );
    expect(kinds).toEqual(['color', 'picture', 'video', 'color']);
  });
});

describe('booleans and numbers of a document that are written as text', () => {
  const typed = {
    name: 'true',
    public: true,
    tags: ['1', 'false'],
    data: { subtitlesEnabled: false, fps: 30, seed: 7, musicVolume: 0.5, codec: 'h264', mine: 'true' },
    slides: [
      {
        id: 3,
        speech: '42',
        voice: '7',
        voiceType: 'true',
        hasAvatar: false,
        duration: 2.5,
        avatar: { code: '12', age: '30' },
        canvas: {
          version: '4',
          backgroundImage: { src: 'a.mp4', type: 'video', muted: true, volume: 0.5 },
          objects: [
            {
              type: 'i-text',
              id: '929527292291',
              text: '2026',
              left: -1.5,
              fontSize: 12,
              fontWeight: 700,
              underline: true,
              originX: 0.5,
              originY: 'center',
              lineHeight: 0.00002,
              fill: { type: 'linear', coords: { x2: 100 }, colorStops: [{ offset: 1, color: 'red' }] },
              shadow: { color: 'red', blur: 3 },
              strokeDashArray: [4, 2],
              animation: { type: 'pop', startTime: 1, startWord: { text: '1', nth: 2 } },
              styles: [{ start: 1, end: 3, style: { underline: true, fontSize: 9, fill: 'red' } }],
              extra: 'true',
            },
            { type: 'text', text: 'a', styles: { 0: { 0: { overline: false } } } },
            {
              type: 'Group',
              objects: [{ type: 'video', loop: false, muted: true, startTime: 2 }],
              clipPath: { type: 'circle', radius: 9, inverted: true },
              visible: false,
            },
          ],
        },
      },
    ],
  };
  /** The document with all of its booleans and numbers as text. */
  const asText = (value: unknown, spell: (value: boolean | number) => string): unknown =>
    JSON.parse(JSON.stringify(value), (_key, one: unknown) =>
      typeof one === 'boolean' || typeof one === 'number' ? spell(one) : one,
    );

  // Proves: D.videos.7b
  it.each<[string, (value: boolean | number) => string]>([
    ['small', String],
    ['capital, with spaces', (value) => ` ${String(value).toUpperCase()} `],
    ['as Python writes them', (value) => String(value).replace('true', 'True').replace('false', 'False')],
  ])('become booleans and numbers wherever the schema declares them, and nowhere else: %s', (_what, spell) => {
    expect(withStoredTypes(VideoInput, asText(typed, spell))).toEqual(typed);
    const { document, problems } = parseDocument(asText(typed, spell));
    expect(document).toEqual(parseDocument(typed).document);
    expect(problems).toEqual(parseDocument(typed).problems);
  });

  it('are returned as they came when they are neither, and named by parsing', () => {
    const object = {
      type: 'textbox',
      text: 'a',
      underline: 'yes',
      left: '12px',
      top: '0x10',
      angle: 'Infinity',
      skewX: '',
    };
    const given = { slides: [{ id: 'first', gestures: '1', canvas: { objects: [object] } }], data: { fps: '1e' } };
    expect(withStoredTypes(VideoInput, given)).toBe(given);
    expect(errors(parseDocument(given))).toEqual([
      'data.fps',
      'slides[0].id',
      'slides[0].canvas.objects[0].left',
      'slides[0].canvas.objects[0].top',
      'slides[0].canvas.objects[0].skewX',
      'slides[0].canvas.objects[0].angle',
      'slides[0].canvas.objects[0].underline',
      'slides[0].gestures',
    ]);
  });

  it('are read in groups of any depth without exhausting the stack', () => {
    let object: object = { type: 'rect', left: '1' };
    for (let depth = 0; depth < 20_000; depth++) object = { type: 'group', objects: [object] };
    expect(errors(withObjects(object))[0]).toMatch(/^slides\[0\]/);
  });
});

describe('a presenter that is named by its id', () => {
  it('has that as its code, unless a code is given', () => {
    const read = (avatar: object) => withStoredTypes(VideoInput, { slides: [{ avatar }] });
    const stored = (avatar: object) => ({ slides: [{ avatar }] });
    expect(read({ id: 'marcus', name: 'x' })).toEqual(stored({ id: 'marcus', name: 'x', code: 'marcus' }));
    expect(read({ id: 'marcus', code: null })).toEqual(stored({ id: 'marcus', code: 'marcus' }));
    expect(read({ id: 'marcus', code: 'nora' })).toEqual(stored({ id: 'marcus', code: 'nora' }));
    expect(read({ name: 'x' })).toEqual(stored({ name: 'x' }));
    expect(parseDocument({ slides: [{ avatar: { id: 'marcus' } }] }).document.slides[0]?.avatar).toBe('marcus');
  });
});
