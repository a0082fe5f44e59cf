import { type Static, type TInteger, type TObject, type TOptional, Type } from '@sinclair/typebox';
import { Slide, VideoData } from '../document/document.js';
import { LONGEST_TEXT } from '../document/provider.js';
import { MAX_SLIDES, MAX_TEMPLATE_ROWS } from '../limits.js';
import { CallbackUrl, FieldError, Nullable, OneOf, Time } from './common.js';

/** Status of a video. `draft → queued → rendering → ready | error`; `moderation` from `rendering` and back; `importing` a presentation. */
export const VIDEO_STATUSES = ['draft', 'queued', 'rendering', 'moderation', 'importing', 'ready', 'error'] as const;
export type VideoStatus = (typeof VIDEO_STATUSES)[number];

/** Orders of a list of videos. */
export const VIDEO_ORDERS = ['created', 'changed', 'name'] as const;

const VIDEO_TYPES = ['video', 'template'] as const;

const editable = {
  name: Type.String({ minLength: 1, maxLength: 500, description: 'Shown in lists, and the name of downloads.' }),
  slides: Type.Array(Slide, {
    maxItems: MAX_SLIDES,
    description: 'Scenes in their order: what is said, who says it, and what is seen.',
  }),
  tags: Type.Array(Type.String({ maxLength: 200 }), {
    maxItems: 100,
    description: 'Your labels, for filtering lists.',
  }),
  public: Type.Boolean({ description: 'A mark of your own; links to files work with and without it.' }),
  data: VideoData,
  folderId: Nullable(Type.String({ minLength: 1, maxLength: 100, description: 'Folder of the video; null: none.' })),
  type: OneOf(VIDEO_TYPES, 'A `template` has {{placeholders}}, which each row of a batch fills in.'),
};

/** Body of POST /videos. */
export const VideoInput = Type.Composite([
  Type.Object({ name: editable.name }),
  Type.Partial(Type.Omit(Type.Object(editable), ['name'])),
]);
export type VideoInput = Static<typeof VideoInput>;

/** Body of PATCH /videos/{videoId}. */
export const VideoPatch = Type.Partial(Type.Object(editable));
export type VideoPatch = Static<typeof VideoPatch>;

/** The last film of a video that is not ready: changed since, waiting, rendering again, or failed. */
export const LastRender = Type.Object(
  {
    url: Type.String({ description: 'Signed link to the file.' }),
    subtitlesUrl: Type.Optional(Type.String({ description: 'Signed link to the WebVTT.' })),
    srtUrl: Type.Optional(Type.String({ description: 'Signed link to the SRT.' })),
    duration: Type.Number({ description: 'Seconds.' }),
    renderedAt: Time,
  },
  { $id: 'LastRender' },
);
export type LastRender = Static<typeof LastRender>;

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
  duration: Type.Optional(Type.Number({ description: 'Seconds; present after rendering.' })),
  error: Type.Optional(Type.String({ description: 'Reason, while status is error.' })),
  progress: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'While rendering or importing.' })),
  stage: Type.Optional(Type.String({ description: 'Current step, while rendering or importing.' })),
  url: Type.Optional(Type.String({ description: 'Signed link to the MP4; absent until ready.' })),
  thumbnail: Type.Optional(Type.String({ description: 'Signed link to a JPEG; absent until ready.' })),
  subtitlesUrl: Type.Optional(Type.String({ description: 'Signed link to the WebVTT; absent until ready.' })),
  srtUrl: Type.Optional(Type.String({ description: 'Signed link to the SRT; absent until ready.' })),
  gifUrl: Type.Optional(Type.String({ description: 'Signed link to the preview GIF, if `gifEnabled` is set.' })),
  lastRender: Type.Optional(LastRender),
  requestId: Type.Optional(Type.String({ description: 'Request id of the personalization batch that created it.' })),
  batchRowId: Type.Optional(Type.Integer({ minimum: 0 })),
  createdAt: Time,
  updatedAt: Time,
};

/** A video that is ready with its file, deleted after it was ready, or in another state, distinguished by `status` and `deleted`. */
export type ByState<V extends { status: VideoStatus; deleted: boolean }> =
  | (Omit<V, 'status' | 'deleted' | 'url'> & { status: 'ready'; deleted: false; url: string })
  | (Omit<V, 'status' | 'deleted'> & { status: 'ready'; deleted: true })
  | (Omit<V, 'status'> & { status: Exclude<VideoStatus, 'ready'> });

/** A video in a list and in a webhook delivery (§2.1): everything but its slides. */
export const VideoSummary = Type.Unsafe<ByState<Static<TObject<typeof summary>>>>(
  Type.Object(summary, { $id: 'VideoSummary' }),
);
export type VideoSummary = Static<typeof VideoSummary>;

/** Time of a `<mark>` of the SSML; `at` in seconds. */
export const SpokenMark = Type.Object({ name: Type.String(), at: Type.Number() });

/** What the content credentials of a film say: how it was made (IPTC digital source type), and who issued the certificate. */
export const ContentCredentials = Type.Object(
  {
    source: OneOf(['trainedAlgorithmicMedia', 'compositeWithTrainedAlgorithmicMedia']),
    signer: Type.String({ description: 'Issuer of the certificate that signed the file.' }),
  },
  { $id: 'ContentCredentials' },
);
export type ContentCredentials = Static<typeof ContentCredentials>;

/** What a render reused from earlier ones: per slide, its drawn background, its speech, its encoded pictures. */
export const RenderReport = Type.Object(
  {
    contentHash: Type.String({ description: 'Equal hashes mean equal decoded frames.' }),
    frames: Type.Integer({ minimum: 0 }),
    segments: Type.Integer({ minimum: 0 }),
    reusedSegments: Type.Integer({ minimum: 0 }),
    slides: Type.Array(
      Type.Object({
        id: Type.Integer(),
        reused: Type.Array(OneOf(['background', 'speech', 'pictures'])),
        marks: Type.Optional(Type.Array(SpokenMark)),
      }),
    ),
    credentials: Type.Optional(ContentCredentials),
  },
  { $id: 'RenderReport' },
);
export type RenderReport = Static<typeof RenderReport>;

const whole = { ...summary, slides: Type.Array(Slide), render: Type.Optional(RenderReport) };
/** A video with its slides; `render` describes its last render, while it is ready. */
export const Video = Type.Unsafe<ByState<Static<TObject<typeof whole>>>>(Type.Object(whole, { $id: 'Video' }));
export type Video = Static<typeof Video>;

/** Why a version was kept: before the first change after 10 minutes of work or rest, or after a render, or by a call. */
export const VERSION_REASONS = ['editing', 'render', 'import', 'brand', 'restore', 'request'] as const;

const versionName = Type.String({ minLength: 1, maxLength: 200 });
const version = {
  _id: Type.String(),
  reason: OneOf(VERSION_REASONS),
  versionName: Type.Optional(versionName),
  slideCount: Type.Integer({ minimum: 0 }),
  createdAt: Time,
};

/** An earlier version of a video, in a list. */
export const VideoVersionSummary = Type.Object(version, { $id: 'VideoVersionSummary' });
export type VideoVersionSummary = Static<typeof VideoVersionSummary>;

/** An earlier version of a video with its content. */
export const VideoVersion = Type.Object(
  { ...version, name: Type.String(), data: summary.data, slides: Type.Array(Slide) },
  { $id: 'VideoVersion' },
);
export type VideoVersion = Static<typeof VideoVersion>;

/** Body of POST /videos/versions/{videoId}. */
export const VersionInput = Type.Object({
  versionName: Type.Optional(versionName),
  reason: Type.Optional(OneOf(['import', 'brand', 'restore', 'request'])),
});
export type VersionInput = Static<typeof VersionInput>;

/** Body of PATCH /videos/versions/{videoId}/{versionId}. */
export const VersionName = Type.Object({ versionName });

/** Answer of the dry run: every problem at once, and what renders but was probably not meant so. */
export const Validation = Type.Object({
  valid: Type.Boolean(),
  errors: Type.Array(FieldError),
  warnings: Type.Optional(Type.Array(FieldError)),
});

/** Body of POST /videos/render/{videoId}. */
export const RenderInput = Type.Object({ callbackUrl: Type.Optional(CallbackUrl) });

/** Body of POST /videos/renderTemplate/{videoId}; rows and their number are checked by the server (1 to 200 objects). */
export const RenderTemplateInput = Type.Object({
  templateData: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    minItems: 1,
    maxItems: MAX_TEMPLATE_ROWS,
    description: 'One object per video: values by placeholder name or by id of a canvas media object (value: a URL).',
  }),
  tags: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 100 })),
  emailNotification: Type.Optional(Type.Boolean()),
  fitTextBox: Type.Optional(Type.Boolean()),
  public: Type.Optional(Type.Boolean()),
  callbackUrl: Type.Optional(CallbackUrl),
  nameKey: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Key of the rows whose value is added to the template’s name for each video; `name` unless given. A template whose name holds a placeholder is named by that.',
    }),
  ),
});
export type RenderTemplateInput = Static<typeof RenderTemplateInput>;

const batch = {
  requestId: Type.String({ minLength: 16, maxLength: 16 }),
  templateId: Type.String(),
  name: Type.String({ description: 'Name of the template when the batch was made.' }),
  rows: Type.Integer({ minimum: 1 }),
  counts: Type.Object(
    Object.fromEntries(VIDEO_STATUSES.map((status) => [status, Type.Optional(Type.Integer({ minimum: 1 }))])) as Record<
      VideoStatus,
      TOptional<TInteger>
    >,
    { description: 'Videos by status; a status that none has is absent. Deleted videos are not counted.' },
  ),
  emailNotification: Type.Boolean(),
  createdAt: Time,
};

/** A personalization batch: what one call of POST /videos/renderTemplate/{videoId} made, and how far it is. */
export const BatchSummary = Type.Object(batch, { $id: 'BatchSummary' });
export type BatchSummary = Static<typeof BatchSummary>;

/** A batch with the videos of its rows, in the order of the rows, deleted ones left out. */
export const Batch = Type.Object({ ...batch, videos: Type.Array(VideoSummary) }, { $id: 'Batch' });
export type Batch = Static<typeof Batch>;

/** A spoken word; times in seconds from the start of the speech. */
export const SpokenWord = Type.Object({ text: Type.String(), start: Type.Number(), end: Type.Number() });

/** Body of POST /videos/voice/{videoId}/{slideId}; missing fields are taken from the slide. */
export const SlideSpeechInput = Type.Object({
  speech: Type.Optional(Type.String({ minLength: 1, maxLength: LONGEST_TEXT })),
  voice: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  voiceProvider: Type.Optional(Type.String({ minLength: 1, maxLength: 50 })),
  language: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
export type SlideSpeechInput = Static<typeof SlideSpeechInput>;

/** Answer of POST /videos/voice/{videoId}/{slideId}. */
export const SlideSpeech = Type.Object({
  url: Type.String(),
  duration: Type.Number(),
  words: Type.Array(SpokenWord),
  marks: Type.Optional(Type.Array(SpokenMark)),
});

/** Body of POST /videos/preview/{videoId}/{slideId}: slide and settings with unsaved edits. */
export const SlidePreviewInput = Type.Object({ slide: Type.Optional(Slide), data: Type.Optional(VideoData) });

/** An event of GET /videos/events with the current state of a video. */
export const VideoEvent = Type.Object({ type: OneOf(['changed']), video: VideoSummary }, { $id: 'VideoEvent' });
export type VideoEvent = Static<typeof VideoEvent>;

/**
 * Lip-sync data of a finished video. Times in seconds of the video; a curve has one of its `values` per frame,
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
export type LipSync = Static<typeof LipSync>;

/** Answer 206 of POST /videos/from-presentation: the conversion continues. */
export const StillImporting = Type.Object({
  message: Type.String(),
  _id: Type.String(),
  status: Type.Literal('importing'),
});
