import { type Static, Type } from '@sinclair/typebox';
import { CODECS } from '../document/codec.js';
import { EXPRESSIONS } from '../document/expression.js';
import {
  CAPTION_STYLES,
  ENCODE_PRESETS,
  FORMATS,
  FRAME_RATES,
  type FrameRate,
  RESOLUTIONS,
} from '../document/output.js';
import { LONGEST_TEXT } from '../document/provider.js';
import { namesOf } from '../document/table.js';
import { TRANSITIONS } from '../document/transition.js';
import { MAX_SLIDES } from '../limits.js';
import { FieldError, Nullable, OneOf, Time } from './common.js';

/** Where a video stands. `draft → queued → rendering → ready | error`; `moderation` from `rendering` and back; `importing` a presentation. */
export const VIDEO_STATUSES = ['draft', 'queued', 'rendering', 'moderation', 'importing', 'ready', 'error'] as const;
/** One of {@link VIDEO_STATUSES}. */
export type VideoStatus = (typeof VIDEO_STATUSES)[number];

const VIDEO_TYPES = ['video', 'template'] as const;

/** A Fabric.js object in a 640×360 space. Properties beyond the listed ones are kept. */
export const CanvasObject = Type.Object(
  {
    type: Type.String({ maxLength: 50, examples: ['textbox'] }),
    id: Type.Optional(Nullable(Type.Union([Type.String({ maxLength: 200 }), Type.Integer()]))),
    left: Type.Optional(Type.Number()),
    top: Type.Optional(Type.Number()),
    width: Type.Optional(Type.Number()),
    height: Type.Optional(Type.Number()),
    scaleX: Type.Optional(Type.Number()),
    scaleY: Type.Optional(Type.Number()),
    angle: Type.Optional(Type.Number()),
    opacity: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    src: Type.Optional(Nullable(Type.String({ maxLength: 4_000_000 }))),
    text: Type.Optional(Nullable(Type.String({ maxLength: 100_000 }))),
    fontSize: Type.Optional(Type.Number()),
    fontFamily: Type.Optional(Nullable(Type.String({ maxLength: 200 }))),
    textAlign: Type.Optional(Nullable(Type.String({ maxLength: 50 }))),
  },
  { additionalProperties: Type.Unknown() },
);
/** See the schema of the same name; properties that it does not list are Fabric's own. */
export type CanvasObject = Static<typeof CanvasObject> & { readonly [property: string]: unknown };

/** One slide ◆. `duration` (seconds) holds for a slide without speech. */
export const Slide = Type.Object(
  {
    id: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Unique within the video.' }),
    speech: Type.Optional(Nullable(Type.String({ maxLength: LONGEST_TEXT }))),
    language: Type.Optional(Nullable(Type.String({ maxLength: 100, examples: ['English'] }))),
    voice: Type.Optional(Nullable(Type.String({ maxLength: 200, examples: ['slt'] }))),
    voiceProvider: Type.Optional(Nullable(Type.String({ maxLength: 50, examples: ['flite'] }))),
    voiceType: Type.Optional(Nullable(Type.String({ maxLength: 50, examples: ['text'] }))),
    avatar: Type.Optional(
      Nullable(
        Type.Object(
          { code: Type.String({ maxLength: 200, examples: ['marcus'] }) },
          { additionalProperties: Type.Unknown() },
        ),
      ),
    ),
    canvas: Type.Optional(
      Nullable(
        Type.Object(
          {
            objects: Type.Optional(Type.Array(CanvasObject, { maxItems: 500 })),
            background: Type.Optional(
              Nullable(Type.String({ maxLength: 4_000_000, description: 'Colour (#rrggbb) or the URL of a picture.' })),
            ),
            version: Type.Optional(Nullable(Type.String({ maxLength: 50 }))),
          },
          { additionalProperties: Type.Unknown() },
        ),
      ),
    ),
    animation: Type.Optional(Type.Unknown({ description: 'Entrance animation of the slide.' })),
    transition: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 50,
          description: `How it replaces the slide before: ${namesOf(TRANSITIONS).join(', ')}.`,
        }),
      ),
    ),
    expression: Type.Optional(Nullable(OneOf(namesOf(EXPRESSIONS), 'Manner of the presenter on this slide.'))),
    duration: Type.Optional(Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 3600 }))),
    hasAvatar: Type.Optional(Nullable(Type.Boolean())),
    audio: Type.Optional(
      Type.Object(
        {
          url: Type.String(),
          duration: Type.Number(),
          words: Type.Array(Type.Object({ text: Type.String(), start: Type.Number(), end: Type.Number() })),
        },
        { description: 'Stored by POST /videos/voice; read only.' },
      ),
    ),
  },
  { $id: 'Slide' },
);
/** See the schema of the same name. */
export type Slide = Static<typeof Slide>;

/** Settings of a video; other keys are stored untouched. */
export const VideoData = Type.Object(
  {
    format: Type.Optional(Nullable(OneOf(namesOf(FORMATS)))),
    resolution: Type.Optional(Nullable(OneOf(namesOf(RESOLUTIONS)))),
    subtitlesEnabled: Type.Optional(Nullable(Type.Boolean())),
    musicUrl: Type.Optional(Nullable(Type.String({ maxLength: 4000 }))),
    musicVolume: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
    fps: Type.Optional(Nullable(Type.Unsafe<FrameRate>({ type: 'integer', enum: [...FRAME_RATES] }))),
    seed: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
    codec: Type.Optional(Nullable(OneOf(namesOf(CODECS)))),
    preset: Type.Optional(
      Nullable(OneOf(namesOf(ENCODE_PRESETS), 'Effort of the encoder; `fast` makes smaller files.')),
    ),
    transparent: Type.Optional(
      Nullable(Type.Boolean({ description: 'A WebM (VP9) with alpha: slides without a background of their own.' })),
    ),
    captions: Type.Optional(Nullable(OneOf(namesOf(CAPTION_STYLES), 'Captions drawn into the picture.'))),
    gifEnabled: Type.Optional(Nullable(Type.Boolean({ description: 'Make a short animated GIF as a preview.' }))),
  },
  { additionalProperties: Type.Unknown() },
);
/** See the schema of the same name. */
export type VideoData = Static<typeof VideoData>;

const editable = {
  name: Type.String({ minLength: 1, maxLength: 500 }),
  slides: Type.Array(Slide, { maxItems: MAX_SLIDES }),
  tags: Type.Array(Type.String({ maxLength: 200 }), { maxItems: 100 }),
  public: Type.Boolean(),
  data: VideoData,
  folderId: Nullable(Type.String({ maxLength: 100 })),
  type: OneOf(VIDEO_TYPES),
};

/** Body of POST /videos. */
export const VideoInput = Type.Composite([
  Type.Object({ name: editable.name }),
  Type.Partial(Type.Omit(Type.Object(editable), ['name'])),
]);
/** See the schema of the same name. */
export type VideoInput = Static<typeof VideoInput>;

/** Body of PATCH /videos/{videoId}. */
export const VideoPatch = Type.Partial(Type.Object(editable));
/** See the schema of the same name. */
export type VideoPatch = Static<typeof VideoPatch>;

const summary = {
  _id: Type.String(),
  name: Type.String(),
  type: OneOf(VIDEO_TYPES),
  status: OneOf(VIDEO_STATUSES),
  public: Type.Boolean(),
  deleted: Type.Boolean(),
  tags: Type.Array(Type.String()),
  userId: Type.String(),
  accountId: Type.String(),
  folderId: Nullable(Type.String()),
  data: Type.Object({}, { additionalProperties: Type.Unknown() }),
  duration: Type.Optional(Type.Number({ description: 'Seconds; present once it was rendered.' })),
  error: Type.Optional(Type.String({ description: 'Summary, while status is error.' })),
  progress: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'While rendering or importing.' })),
  stage: Type.Optional(Type.String({ description: 'What is done now, while rendering or importing.' })),
  url: Type.Optional(Type.String({ description: 'Signed link to the MP4; absent until ready.' })),
  thumbnail: Type.Optional(Type.String({ description: 'Signed link to a JPEG; absent until ready.' })),
  subtitlesUrl: Type.Optional(Type.String({ description: 'Signed link to the WebVTT; absent until ready.' })),
  srtUrl: Type.Optional(Type.String({ description: 'Signed link to the SRT; absent until ready.' })),
  gifUrl: Type.Optional(Type.String({ description: 'Signed link to the preview GIF, where one was asked for.' })),
  requestId: Type.Optional(Type.String({ description: 'Of the personalization batch that made it.' })),
  batchRowId: Type.Optional(Type.Integer({ minimum: 0 })),
  createdAt: Time,
  updatedAt: Time,
};

/** A video in a list and in a webhook delivery (§2.1): everything but its slides. */
export const VideoSummary = Type.Object(summary, { $id: 'VideoSummary' });
/** See the schema of the same name. */
export type VideoSummary = Static<typeof VideoSummary>;

/** What a rendering took from earlier ones: per slide, its drawn background, its speech, its encoded pictures. */
export const RenderReport = Type.Object(
  {
    contentHash: Type.String({ description: 'Equal hashes: equal decoded frames.' }),
    frames: Type.Integer({ minimum: 0 }),
    segments: Type.Integer({ minimum: 0 }),
    reusedSegments: Type.Integer({ minimum: 0 }),
    slides: Type.Array(
      Type.Object({
        id: Type.Integer(),
        reused: Type.Array(OneOf(['background', 'speech', 'pictures'])),
      }),
    ),
  },
  { $id: 'RenderReport' },
);
/** See the schema of the same name. */
export type RenderReport = Static<typeof RenderReport>;

/** A video with its slides; `render` tells of its last rendering, while it is ready. */
export const Video = Type.Object(
  { ...summary, slides: Type.Array(Slide), render: Type.Optional(RenderReport) },
  { $id: 'Video' },
);
/** See the schema of the same name. */
export type Video = Static<typeof Video>;

/** Answer of the dry run: every problem at once. */
export const Validation = Type.Object({ valid: Type.Boolean(), errors: Type.Array(FieldError) });

/** Body of POST /videos/renderTemplate/{videoId}; rows and their number are checked by the server (1 to 200 objects). */
export const RenderTemplateInput = Type.Object({
  templateData: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    minItems: 1,
    maxItems: 200,
    description: 'One object a video: values by placeholder name or by id of a canvas media object (value: a URL).',
  }),
  tags: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 100 })),
  emailNotification: Type.Optional(Type.Boolean()),
  fitTextBox: Type.Optional(Type.Boolean()),
  public: Type.Optional(Type.Boolean()),
});
/** See the schema of the same name. */
export type RenderTemplateInput = Static<typeof RenderTemplateInput>;

/** A spoken word; times in seconds from the start of the speech. */
export const SpokenWord = Type.Object({ text: Type.String(), start: Type.Number(), end: Type.Number() });

/** Body of POST /videos/voice/{videoId}/{slideId}; what is absent is taken from the slide. */
export const SlideSpeechInput = Type.Object({
  speech: Type.Optional(Type.String({ minLength: 1, maxLength: LONGEST_TEXT })),
  voice: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  voiceProvider: Type.Optional(Type.String({ minLength: 1, maxLength: 50 })),
  language: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});

/** Answer of POST /videos/voice/{videoId}/{slideId}. */
export const SlideSpeech = Type.Object({
  url: Type.String(),
  duration: Type.Number(),
  words: Type.Array(SpokenWord),
});

/** Body of POST /videos/preview/{videoId}/{slideId}: the slide and the settings as they are in the editor, not saved yet. */
export const SlidePreviewInput = Type.Object({ slide: Type.Optional(Slide), data: Type.Optional(VideoData) });

/** An event of GET /videos/events: a video as it is now, or that it is gone. */
export const VideoEvent = Type.Object({ type: OneOf(['changed']), video: VideoSummary }, { $id: 'VideoEvent' });
/** See the schema of the same name. */
export type VideoEvent = Static<typeof VideoEvent>;

/**
 * What moved the mouth of a finished video, for looking at lip-sync. Times in seconds of the video; `values` of a curve are one a frame,
 * 0 to 1; `peaks` the loudest sample (0 to 1) of each `1 / peaksPerSecond` s of the sound.
 */
export const LipSync = Type.Object(
  {
    fps: Type.Number(),
    duration: Type.Number(),
    peaksPerSecond: Type.Number(),
    peaks: Type.Array(Type.Number()),
    words: Type.Array(SpokenWord),
    phonemes: Type.Array(
      Type.Object({ phoneme: Type.String(), viseme: Type.String(), start: Type.Number(), end: Type.Number() }),
    ),
    curves: Type.Array(Type.Object({ name: Type.String(), values: Type.Array(Type.Number()) })),
  },
  { $id: 'LipSync' },
);
/** See the schema of the same name. */
export type LipSync = Static<typeof LipSync>;

/** Answer 206 of POST /videos/from-presentation: the conversion goes on. */
export const StillImporting = Type.Object({
  message: Type.String(),
  _id: Type.String(),
  status: Type.Literal('importing'),
});
