import { type Static, Type } from '@sinclair/typebox';
import { Nullish } from '../schemas/common.js';
import { withAliases, withStoredTypes } from '../schemas/stored-types.js';
import { ANIMATION, type ObjectAnimation } from './animation.js';
import { CODECS, type Codec } from './codec.js';
import { EXPRESSIONS, type Expression } from './expression.js';
import {
  choice,
  DocumentPosition,
  type Field,
  type Fields,
  flag,
  isRecord,
  type MemberReader,
  number,
  type Problem,
  quote,
  rate,
  readEach,
  reading,
  readValue,
  special,
  text,
} from './field.js';
import { FRAMINGS, type Framing } from './framing.js';
import { SHOW_IF } from './objects/base.js';
import { CanvasObject, readObjects, type SceneObject } from './objects/index.js';
import { CAPTION_STYLES, ENCODE_PRESETS, FORMATS, FRAME_RATES, frameSize, RESOLUTIONS } from './output.js';
import { isColor, type Paint, readPaint } from './paint.js';
import { LONGEST_RECORDING_SECONDS, LONGEST_TEXT } from './provider.js';
import { namesOf } from './table.js';
import { TRANSITIONS, type Transition } from './transition.js';

/** Maximum characters of a label that says how a film was made. */
export const MAX_AI_LABEL = 60;

/** Settings of the whole video, the `data` of a document. */
const SETTINGS = {
  format: choice(namesOf(FORMATS), '16_9', 'Aspect ratio.'),
  resolution: choice(namesOf(RESOLUTIONS), 'FullHD', 'Shorter side of the frame.'),
  subtitlesEnabled: flag(false, 'The file has a track of subtitles.'),
  musicUrl: text({ default: '', maxLength: 4000, description: 'URL of background music.' }),
  musicVolume: number({ default: 0.25, minimum: 0, maximum: 1 }),
  fps: rate(FRAME_RATES, { default: 25, description: 'Frames per second.' }),
  seed: number({
    default: 1,
    type: 'integer',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Random seed of the presenter’s movements.',
  }),
  codec: choice(namesOf(CODECS), 'h264', '`h264` plays everywhere.'),
  preset: choice(namesOf(ENCODE_PRESETS), 'veryfast', 'Effort of the encoder; `fast` makes smaller files.'),
  transparent: flag(false, 'A WebM (VP9) with alpha: slides without a background.'),
  captions: choice(namesOf(CAPTION_STYLES), 'off', 'Captions drawn into the picture.'),
  gifEnabled: flag(false, 'Make a short animated GIF as a preview.'),
  aiLabel: text({
    default: '',
    maxLength: MAX_AI_LABEL,
    examples: ['Made with AI'],
    description: 'Text in the upper left of the whole film; when empty, that of the workspace’s brand.',
  }),
} as const satisfies Fields;

/** The fields of an object as JSON schema: each may be absent or null. */
type Written<F extends Fields> = {
  [K in keyof F]?: (F[K] extends Field<infer Stored, unknown> ? Stored : never) | null;
};
function written<F extends Fields>(fields: F) {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, Nullish(field)]));
}

/** Settings of a video; other keys are stored untouched. */
export const VideoData = Type.Unsafe<Written<typeof SETTINGS> & { [key: string]: unknown }>(
  Type.Object(written(SETTINGS), { $id: 'VideoData', additionalProperties: Type.Unknown() }),
);
/** Settings of a video as stored. */
export type VideoData = Static<typeof VideoData>;

const name = (maxLength: number, example: string) => text({ maxLength, examples: [example] });

/** Fields of a slide that need no conversion. */
const SLIDE = {
  speech: text({
    default: '',
    maxLength: LONGEST_TEXT,
    description: 'Script that the presenter speaks: plain text, or SSML if it begins with `<speak>`.',
  }),
  language: name(100, 'English'),
  voice: name(200, 'slt'),
  voiceProvider: name(50, 'flite'),
  expression: choice(namesOf(EXPRESSIONS), 'neutral', 'Expression of the presenter on this slide.'),
  framing: choice(
    namesOf(FRAMINGS),
    'auto',
    'How much of the presenter is shown; `waist` shows as much as there is of a presenter without a body.',
  ),
  gestures: flag(true, '`false`: arms that are shown stay at rest.'),
  duration: special<number, number | null>(
    { type: 'number', exclusiveMinimum: 0, maximum: 3600, description: 'Duration of a slide without speech, seconds.' },
    (raw, place) =>
      raw === undefined || raw === null
        ? null
        : readValue(number({ default: 0, minimum: 0, maximum: 3600 }), raw, place),
  ),
  hasAvatar: flag(true, '`false`: the slide shows no presenter.'),
  showIf: SHOW_IF,
} as const satisfies Fields;

const ID = number({ default: 0, type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const TRANSITION = choice(namesOf(TRANSITIONS), 'none');
const NAME = text({ default: '' });

const LONGEST_ADDRESS = 4_000_000;
const address = (description: string) => Nullish(Type.String({ maxLength: LONGEST_ADDRESS, description }));

/** Speech of a slide that was stored by POST /videos/voice. */
const SlideAudio = Type.Object(
  {
    url: Type.String(),
    duration: Type.Number({ description: 'Seconds.' }),
    words: Type.Array(Type.Object({ text: Type.String(), start: Type.Number(), end: Type.Number() })),
    marks: Type.Optional(Type.Array(Type.Object({ name: Type.String(), at: Type.Number() }))),
  },
  { description: 'Stored by POST /videos/voice; read only.' },
);

/** Fabric's background picture or clip, which takes precedence over `background`. */
const BACKGROUND_IMAGE = {
  type: 'object',
  properties: {
    src: { type: 'string' },
    type: { type: 'string', examples: ['image', 'video'] },
    volume: number({ default: 0, minimum: 0, maximum: 1 }),
    muted: flag(false, 'Without sound.'),
  },
  description: 'A picture or a clip of Fabric.js, drawn instead of `background`.',
};

/** A recording that a slide plays instead of a synthesised voice. */
const SlideRecording = Type.Object(
  {
    src: Type.String({
      minLength: 1,
      maxLength: LONGEST_ADDRESS,
      description: 'URL of a sound: a file of the media library, or any other URL that pictures may have.',
    }),
    name: Type.Optional(Type.String({ maxLength: 500, description: 'Name shown in the editor.' })),
  },
  {
    additionalProperties: Type.Unknown(),
    description: `Recorded speech, used while \`voiceType\` is \`audio\`; at most ${LONGEST_RECORDING_SECONDS / 60} minutes. \`speech\` is then its script, which determines the times of words, subtitles and lips.`,
  },
);

type WrittenSlide = Written<typeof SLIDE> & {
  id: number;
  voiceType?: string | null;
  recording?: Static<typeof SlideRecording> | null;
  avatar?: { code: string; [key: string]: unknown } | null;
  canvas?: {
    objects?: CanvasObject[];
    background?: string | null;
    version?: string | null;
    [key: string]: unknown;
  } | null;
  animation?: unknown;
  transition?: string | null;
  audio?: Static<typeof SlideAudio>;
};

/** One slide ◆ as stored. Errors that only rendering can detect are accepted. */
export const Slide = Type.Object(
  {
    id: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Unique within the video.' }),
    ...written(SLIDE),
    voiceType: Nullish(
      Type.String({
        maxLength: 50,
        examples: ['text', 'audio'],
        description: '`audio`: the slide speaks its `recording`; with any other value it speaks its `speech`.',
      }),
    ),
    recording: Nullish(SlideRecording),
    avatar: Nullish(
      withAliases(
        Type.Object(
          {
            code: Type.String({
              maxLength: 200,
              examples: ['clara'],
              description: '`name` or `name.variant`; where it is absent, `id` is read as the code.',
            }),
          },
          { additionalProperties: Type.Unknown() },
        ),
        { code: 'id' },
      ),
    ),
    canvas: Nullish(
      Type.Object(
        {
          objects: Type.Optional(Type.Array(CanvasObject, { maxItems: 500, description: 'Bottom object first.' })),
          background: address('Colour (#rrggbb) or the URL of a picture or a clip.'),
          backgroundImage: Type.Optional(Type.Unsafe({ anyOf: [BACKGROUND_IMAGE, {}] })),
          version: Nullish(Type.String({ maxLength: 50 })),
        },
        { additionalProperties: Type.Unknown() },
      ),
    ),
    animation: Type.Optional(Type.Unsafe({ anyOf: [ANIMATION, {}] })),
    transition: Nullish(
      Type.String({
        maxLength: 50,
        examples: namesOf(TRANSITIONS),
        description: `How it replaces the previous slide: ${namesOf(TRANSITIONS).join(', ')}.`,
      }),
    ),
    audio: Type.Optional(SlideAudio),
  },
  { $id: 'Slide' },
) as unknown as ReturnType<typeof Type.Unsafe<WrittenSlide>>;
/** A slide as stored. */
export type Slide = Static<typeof Slide>;

/** Background below all objects. Pictures and videos cover the frame; `none` replaces a colour in a transparent video. */
export type Background =
  | { readonly kind: 'none' }
  | { readonly kind: 'color'; readonly paint: Paint }
  | { readonly kind: 'picture'; readonly src: string }
  | { readonly kind: 'video'; readonly src: string; readonly volume: number };

/** What {@link parseDocument} reads. */
const DOCUMENT = Type.Object({ slides: Type.Array(Slide), data: VideoData });

/** One slide after reading. */
export interface SlideDocument {
  readonly id: number;
  readonly title: string | null;
  readonly speech: string;
  /** URL of the recording that replaces the synthesised voice; `speech` is its script, or empty. */
  readonly recording: string | null;
  /** BCP 47, English name of a language, or null. */
  readonly language: string | null;
  readonly voice: string | null;
  readonly voiceProvider: string | null;
  /** Code of the presenter (`name` or `name.variant`), or null. */
  readonly avatar: string | null;
  readonly background: Background;
  readonly objects: readonly SceneObject[];
  /** Entrance of the slide's content and exit at its end. */
  readonly animation: ObjectAnimation | null;
  readonly transition: Transition;
  /** Expression of its presenter. */
  readonly expression: Expression;
  /** How much of its presenter is shown. */
  readonly framing: Framing;
  /** Whether its presenter moves the arms, where they are shown. */
  readonly gestures: boolean;
  /** Minimum length in seconds; null when only the speech determines it. */
  readonly duration: number | null;
}

/** Render settings from the document's `data`: see {@link SETTINGS}; width and height of the frame in px, both even. */
export type OutputSettings = Readonly<ReturnType<typeof readSettings>>;

/** A whole video after reading: with all defaults, every number finite and within its range. */
export interface VideoDocument {
  readonly slides: readonly SlideDocument[];
  readonly data: OutputSettings;
}

/** Result of parsing: a document that can always be laid out, and all problems of the source. */
export interface ParsedDocument {
  readonly document: VideoDocument;
  readonly problems: readonly Problem[];
}

/** Settings of a render request that are not part of the document. */
export interface ParseOptions {
  /** Every textbox shrinks its font until the text fits its box. */
  readonly fitTextBox?: boolean;
}

/** URLs of videos, recognised by their file extension before any query. */
const VIDEO_ADDRESS = /\.(?:mp4|m4v|mov|webm|mkv)(?:[?#]|$)/i;

/**
 * Reads an untrusted video document (`slides`, `data`; decisions.md "Videos"). Ignores unknown keys and fills in Fabric's
 * defaults; parts that cannot be drawn as specified are reported in `problems`.
 */
export function parseDocument(given: unknown, options: ParseOptions = {}): ParsedDocument {
  const source = withStoredTypes(DOCUMENT, given);
  const problems: Problem[] = [];
  const place = new DocumentPosition('', problems);
  const root = isRecord(source) ? source : {};
  if (!isRecord(source)) place.note(`expected a video document, got ${quote(source)}`);
  const { data: rawData, slides: rawSlides } = root;
  const data = readSettings(isRecord(rawData) ? rawData : {}, place.at('data'));
  const list: unknown[] = Array.isArray(rawSlides) ? rawSlides : [];
  if (list.length === 0) place.at('slides').note('the video has no slides');
  const slides = list.map((raw, index) => {
    const at = place.item('slides', index);
    if (!isRecord(raw)) at.note(`expected a slide, got ${quote(raw)}`);
    return readSlide(isRecord(raw) ? raw : {}, at, { ...options, index, transparent: data.transparent });
  });
  return { document: { slides, data }, problems };
}

function readSettings(source: Readonly<Record<string, unknown>>, place: DocumentPosition) {
  const read = reading(SETTINGS, source, place);
  const format = read('format');
  const transparent = read('transparent');
  return {
    format,
    ...frameSize(format, read('resolution')),
    ...readEach(read, 'fps', 'subtitlesEnabled', 'musicVolume', 'seed', 'preset', 'captions', 'gifEnabled'),
    musicUrl: read('musicUrl') || null,
    aiLabel: read('aiLabel').replace(/\s+/g, ' ').trim() || null,
    codec: transparent ? alphaCodec(source, read, place) : read('codec'),
    transparent,
  };
}

/** The codec of a transparent video: the requested one if it has alpha, otherwise the first of the table that has. */
function alphaCodec(
  source: Readonly<Record<string, unknown>>,
  read: MemberReader<typeof SETTINGS>,
  place: DocumentPosition,
): Codec {
  const fallback = namesOf(CODECS).find((codec) => CODECS[codec].alpha) ?? 'vp9';
  const isAsked = source['codec'] !== undefined && source['codec'] !== null && source['codec'] !== '';
  const asked = isAsked ? read('codec') : fallback;
  if (CODECS[asked].alpha) return asked;
  place.at('codec').note(`a transparent video is ${fallback.toUpperCase()}, ${asked} has no transparency`, 'warning');
  return fallback;
}

function readSlide(
  source: Readonly<Record<string, unknown>>,
  place: DocumentPosition,
  options: ParseOptions & { readonly index: number; readonly transparent: boolean },
): SlideDocument {
  const read = reading(SLIDE, source, place);
  const canvas = readCanvas(source['canvas'], place.at('canvas'));
  const nameOf = (key: string): string | null => readValue(NAME, source[key], place.at(key)) || null;
  return {
    id:
      source['id'] === undefined || source['id'] === null
        ? options.index + 1
        : readValue(ID, source['id'], place.at('id')),
    // Not part of the stored slide: imports and the command line use it as the chapter's name.
    title: nameOf('title') ?? nameOf('name'),
    speech: read('speech'),
    recording: isRecorded(source) ? readRecording(source['recording'], place.at('recording')) : null,
    language: read('language') || null,
    voice: read('voice') || null,
    voiceProvider: read('voiceProvider') || null,
    avatar: read('hasAvatar') ? readAvatar(source['avatar'], place.at('avatar')) : null,
    background: readBackground(canvas, place.at('canvas'), options.transparent),
    objects: readObjects(canvas['objects'], place.at('canvas'), { fitTextBox: options.fitTextBox ?? false }),
    animation: readValue(ANIMATION, source['animation'], place.at('animation')),
    transition: readTransition(source['transition'], place.at('transition')),
    ...readEach(read, 'expression', 'framing', 'gestures'),
    duration: read('duration'),
  };
}

/** A slide speaks a recording rather than its text. */
export function isRecorded({ voiceType }: { readonly voiceType?: unknown }): boolean {
  return typeof voiceType === 'string' && voiceType.toLowerCase() === 'audio';
}

function readRecording(raw: unknown, place: DocumentPosition): string | null {
  const src = isRecord(raw) ? raw['src'] : undefined;
  if (typeof src === 'string' && src !== '') return src;
  place.note('a slide with the voice type "audio" needs a recording: expected its URL in `recording.src`');
  return null;
}

function readTransition(raw: unknown, place: DocumentPosition): Transition {
  return isRecord(raw) ? readValue(TRANSITION, raw['type'], place.at('type')) : readValue(TRANSITION, raw, place);
}

function readAvatar(raw: unknown, place: DocumentPosition): string | null {
  if (typeof raw === 'string') return raw || null;
  return isRecord(raw) ? readValue(NAME, raw['code'], place.at('code')) || null : null;
}

function readCanvas(raw: unknown, place: DocumentPosition): Readonly<Record<string, unknown>> {
  if (isRecord(raw)) return raw;
  if (raw !== undefined && raw !== null) place.note(`expected a canvas, got ${quote(raw)}`);
  return {};
}

function readBackground(
  canvas: Readonly<Record<string, unknown>>,
  place: DocumentPosition,
  transparent: boolean,
): Background {
  const colour = (paint: Paint): Background => (transparent ? { kind: 'none' } : { kind: 'color', paint });
  // Fabric keeps a background picture in `backgroundImage` and may put a pattern object into `background`.
  for (const key of ['backgroundImage', 'background', 'backgroundColor']) {
    const raw = canvas[key];
    if (raw === undefined || raw === null || raw === '') continue;
    if (isRecord(raw) && typeof raw['src'] === 'string') return mediaBackground(raw['src'], raw);
    if (isRecord(raw)) return colour(readPaint(raw, place.at(key)) ?? '#ffffff');
    if (typeof raw === 'string') {
      if (isColor(raw.trim())) return colour(raw.trim());
      if (/^[a-z][a-z0-9+.-]*:|^\/|\./i.test(raw)) return mediaBackground(raw, {});
    }
    place.at(key).note(`expected a colour or an address, got ${quote(raw)}`);
  }
  return colour('#ffffff');
}

function mediaBackground(src: string, { type, volume, muted }: Readonly<Record<string, unknown>>): Background {
  if (type !== 'video' && !VIDEO_ADDRESS.test(src)) return { kind: 'picture', src };
  const loudness = typeof volume === 'number' ? Math.min(1, Math.max(0, volume)) : 0;
  return { kind: 'video', src, volume: muted === true ? 0 : loudness };
}
