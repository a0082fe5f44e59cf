import { Type } from '@sinclair/typebox';
import { routesOf } from '../route.js';
import { Accepted, Bytes, EventsOf, ListOf, OneOf, Paged, Paging } from '../schemas/common.js';
import { PresentationFields } from '../schemas/library.js';
import {
  Batch,
  BatchSummary,
  LipSync,
  RenderInput,
  RenderTemplateInput,
  SlidePreviewInput,
  SlideSpeech,
  SlideSpeechInput,
  StillImporting,
  Validation,
  VersionInput,
  VersionName,
  VIDEO_ORDERS,
  Video,
  VideoEvent,
  VideoInput,
  VideoPatch,
  VideoSummary,
  VideoVersion,
  VideoVersionSummary,
} from '../schemas/video.js';

/** Routes of videos, their rendering and their import. */
export const videoRoutes = routesOf('Videos', {
  listVideos: {
    summary: 'List videos, newest first, without their slides',
    query: Type.Object({
      ...Paging,
      status: Type.Optional(Type.String({ maxLength: 200, description: 'Statuses separated by commas.' })),
      type: Type.Optional(Type.String({ maxLength: 50 })),
      tags: Type.Optional(
        Type.String({ maxLength: 2000, description: 'Tags separated by commas; matches videos with any of them.' }),
      ),
      folderId: Type.Optional(Type.String({ maxLength: 100 })),
      search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name, in any case.' })),
      deleted: Type.Optional(Type.Boolean()),
      sort: Type.Optional(
        OneOf(VIDEO_ORDERS, '`created`: newest first, the default. `changed`: last changed first. `name`: A to Z.'),
      ),
      grouped: Type.Optional(Type.Boolean({ description: 'Only the first video of each personalization batch.' })),
    }),
    response: ListOf('videos', VideoSummary),
  },
  watchVideos: {
    summary: 'Watch changes of videos as server-sent events',
    events: VideoEvent,
    response: EventsOf(VideoEvent),
  },
  createVideo: {
    summary: 'Create a video or a template',
    idempotencyKey: true,
    body: VideoInput,
    document: true,
    response: Video,
    quota: 'videos',
  },
  readVideo: { summary: 'Read one video with its status', versioned: true, response: Video },
  updateVideo: {
    summary: 'Change a video; a finished one returns to draft',
    versioned: true,
    body: VideoPatch,
    document: true,
    response: Video,
  },
  deleteVideo: { summary: 'Delete a video; it can still be read as deleted', response: Video },
  copyVideo: {
    summary: 'Duplicate a video as a new draft',
    idempotencyKey: true,
    body: Type.Object({ videoId: Type.String({ minLength: 1, maxLength: 100 }) }),
    response: Video,
    quota: 'videos',
  },
  listVideoVersions: {
    summary: 'List the earlier versions of a video that the server keeps, latest first: at most 50, for 90 days',
    response: Type.Object({ versions: Type.Array(VideoVersionSummary) }),
  },
  keepVideoVersion: {
    summary: 'Keep the present version of a video, before a change that may have to be taken back',
    body: VersionInput,
    bodyOptional: true,
    response: VideoVersionSummary,
  },
  readVideoVersion: { summary: 'Read an earlier version of a video', response: VideoVersion },
  nameVideoVersion: {
    summary: 'Name a version; named ones are removed last',
    body: VersionName,
    response: VideoVersionSummary,
  },
  restoreVideoVersion: {
    summary: 'Give a video the content of an earlier version; the present one is kept',
    response: Video,
  },
  translateVideo: {
    summary:
      'Translate speech and canvas text of a video with the language model, as a new draft in a voice of that language',
    body: Type.Object({
      language: Type.String({
        minLength: 2,
        maxLength: 100,
        examples: ['German'],
        description: 'English name of a language.',
      }),
    }),
    response: Video,
    quota: 'videos',
  },
  renderVideo: {
    summary: 'Start rendering; 200 means queued, errors are reported later by status and event',
    idempotencyKey: true,
    body: RenderInput,
    bodyOptional: true,
    response: Accepted,
  },
  cancelRender: {
    summary: 'Cancel rendering: the video returns to draft, without an event',
    response: Type.Object({ cancelled: Type.Boolean() }),
  },
  validateVideo: {
    summary: 'Dry run: report all problems that would make rendering fail',
    response: Validation,
  },
  renderTemplate: {
    summary: 'Render personalized videos, one per row',
    idempotencyKey: true,
    body: RenderTemplateInput,
    response: Type.Object({
      accepted: Type.Literal(true),
      requestId: Type.String({ minLength: 16, maxLength: 16 }),
      videoId: Type.Optional(Type.String({ description: 'The video, if there is only one row.' })),
    }),
    quota: 'videos',
  },
  listBatches: {
    summary: 'List personalization batches, newest first',
    query: Paged,
    response: ListOf('batches', BatchSummary),
  },
  readBatch: { summary: 'Read one batch with the video of each row', response: Batch },
  synthesizeSlide: {
    summary: "Synthesise one slide's speech, or read its recording, and keep it on the slide",
    body: SlideSpeechInput,
    bodyOptional: true,
    response: SlideSpeech,
    limited: { perMinute: 20, perHour: 200, counts: 'all' },
  },
  previewSlide: {
    summary: 'Render one frame of a slide as WebP, exactly as in the video',
    query: Type.Object({
      at: Type.Optional(Type.Number({ minimum: 0, maximum: 3600, description: 'Seconds from the slide’s start.' })),
    }),
    body: SlidePreviewInput,
    document: true,
    bodyOptional: true,
    binary: 'image/webp',
    response: Bytes,
  },
  readLipSync: {
    summary: 'Read sound peaks, phonemes and mouth curves of a finished video',
    response: LipSync,
  },
  importPresentation: {
    summary: 'Create a video from a presentation; 206 if the conversion takes longer than the request',
    idempotencyKey: true,
    multipart: { fields: PresentationFields, file: 'A .pptx, .ppt, .odp or .pdf presentation.' },
    response: Video,
    partial: StillImporting,
    quota: 'videos',
  },
});
