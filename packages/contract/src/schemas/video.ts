import { type Static, Type } from '@sinclair/typebox';
import { MAX_SLIDE_SPEECH, MAX_SLIDES } from '../limits.js';
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
    speech: Type.Optional(Nullable(Type.String({ maxLength: MAX_SLIDE_SPEECH }))),
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
    format: Type.Optional(Nullable(OneOf(['16_9', '9_16', '1_1']))),
    resolution: Type.Optional(Nullable(OneOf(['HD', 'FullHD', '4K', '720p', '1080p', '2160p']))),
    subtitlesEnabled: Type.Optional(Nullable(Type.Boolean())),
    musicUrl: Type.Optional(Nullable(Type.String({ maxLength: 4000 }))),
    musicVolume: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
    fps: Type.Optional(Nullable(Type.Unsafe<25 | 30 | 50 | 60>({ type: 'integer', enum: [25, 30, 50, 60] }))),
    seed: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
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
  requestId: Type.Optional(Type.String({ description: 'Of the personalization batch that made it.' })),
  batchRowId: Type.Optional(Type.Integer({ minimum: 0 })),
  createdAt: Time,
  updatedAt: Time,
};

/** A video in a list and in a webhook delivery (§2.1): everything but its slides. */
export const VideoSummary = Type.Object(summary, { $id: 'VideoSummary' });
/** See the schema of the same name. */
export type VideoSummary = Static<typeof VideoSummary>;

/** A video with its slides. */
export const Video = Type.Object({ ...summary, slides: Type.Array(Slide) }, { $id: 'Video' });
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
  speech: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_SLIDE_SPEECH })),
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

/** Answer 206 of POST /videos/from-presentation: the conversion goes on. */
export const StillImporting = Type.Object({
  message: Type.String(),
  _id: Type.String(),
  status: Type.Literal('importing'),
});
