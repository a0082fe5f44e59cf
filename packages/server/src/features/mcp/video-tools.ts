import { type Slide, VIDEO_STATUSES, type VideoData, type VideoStatus } from '@figurehead/contract';
import { type CallOutput, ChangedSinceError, etagOf, VideoError, waitForVideo } from '@figurehead/sdk';
import { Type } from '@sinclair/typebox';
import { CAST, FORMAT_NAMES, openSlideMaker, SlideWish, textIds, voiceOf, withSlideTexts } from './slides.js';
import { defineTool, type ToolContext, ToolError } from './tool.js';

const videoId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Id of a video, from list_videos or create_video.',
});
const slideId = Type.Integer({ minimum: 0, description: 'Id of a slide of the video.' });
const callbackUrl = Type.Optional(
  Type.String({ maxLength: 2000, description: 'Called once at the end, like a webhook.' }),
);

type AnyVideo = Pick<CallOutput<'readVideo'>, '_id' | 'name' | 'type' | 'status'> & Readonly<Record<string, unknown>>;

/** A video without what an agent does not need. */
export function brief(video: AnyVideo): Record<string, unknown> {
  const { _id, name, type, status, progress, stage, error, url, duration, batchRowId } = video;
  return { videoId: _id, name, type, status, progress, stage, error, url, duration, batchRowId };
}

function briefSlides(slides: readonly Slide[]): object[] {
  return slides.map((slide) => ({
    id: slide.id,
    speech: slide.speech,
    presenter: slide.avatar?.code ?? null,
    texts: Object.fromEntries(
      textIds(slide).map((id) => [id, slide.canvas?.objects?.find((one) => one.id === id)?.text]),
    ),
  }));
}

const createVideo = defineTool({
  name: 'create_video',
  title: 'Create a video',
  description:
    'Makes a draft from a script (a slide for each paragraph) or from slides. Nothing is rendered yet. With type "template", speech and texts may hold {{placeholders}} for render_batch.',
  effect: 'adds',
  input: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 500 }),
    script: Type.Optional(Type.String({ maxLength: 200_000, description: 'Paragraphs separated by empty lines.' })),
    slides: Type.Optional(Type.Array(SlideWish, { maxItems: 100 })),
    format: Type.Optional(Type.Unsafe<(typeof FORMAT_NAMES)[number]>({ type: 'string', enum: FORMAT_NAMES })),
    type: Type.Optional(Type.Unsafe<'video' | 'template'>({ type: 'string', enum: ['video', 'template'] })),
    ...CAST,
  }),
  async run({ name, script, slides, format = '16_9', type = 'video', ...cast }, { client }) {
    const wishes: SlideWish[] = slides ?? paragraphsOf(script ?? '').map((speech) => ({ speech }));
    if (wishes.length === 0 || (script !== undefined && slides !== undefined))
      throw new ToolError('A video needs either a script or slides.', 'call again with one of them.');
    const maker = await openSlideMaker(client, format);
    const made = wishes.map((wish, index) => maker.make(wish, index + 1, maker.castOf({ ...cast, ...wish })));
    const video = await client.createVideo({ body: { name, type, slides: made, data: { format } } });
    const next = 'preview_slide shows a slide; check_video finds every problem; then render_video.';
    return { data: { ...brief(video), slides: briefSlides(video.slides), next } };
  },
});

function paragraphsOf(script: string): string[] {
  return script
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '');
}

const listVideos = defineTool({
  name: 'list_videos',
  title: 'List videos and templates',
  description: 'The newest videos or templates of the workspace.',
  effect: 'reads',
  input: Type.Object({
    type: Type.Optional(Type.Unsafe<'video' | 'template'>({ type: 'string', enum: ['video', 'template'] })),
    status: Type.Optional(Type.Unsafe<VideoStatus>({ type: 'string', enum: [...VIDEO_STATUSES] })),
    search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name.' })),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  }),
  async run(query, { client }) {
    const { videos, page, total } = await client.listVideos({ query: { ...query, limit: 25 } });
    return { data: { videos: videos.map(brief), page, total } };
  },
});

const readVideo = defineTool({
  name: 'read_video',
  title: 'Read a video',
  description: 'State, link and slides of a video. With "full", the whole document with every object.',
  effect: 'reads',
  input: Type.Object({ videoId, full: Type.Optional(Type.Boolean()) }),
  async run({ videoId, full = false }, { client }) {
    const video = await client.readVideo({ videoId });
    return { data: full ? { ...video } : { ...brief(video), slides: briefSlides(video.slides) } };
  },
});

/** More than an agent edits at once; of n edits one succeeds in each round. */
const EDIT_ATTEMPTS = 20;

const editSlide = defineTool({
  name: 'edit_slide',
  title: 'Edit a slide',
  description:
    'Changes what is named and keeps the rest: speech, texts by id, presenter, voice, duration, or another layout. With "remove", deletes the slide. A finished video becomes a draft.',
  effect: 'changes',
  input: Type.Object({ videoId, slideId, remove: Type.Optional(Type.Literal(true)), ...SlideWish.properties }),
  async run({ videoId, slideId, remove, ...wish }, { client }) {
    for (let attempt = 1; ; attempt += 1) {
      const video = await client.readVideo({ videoId });
      const old = requireSlide(video.slides, slideId);
      const format = FORMAT_NAMES.find((name) => name === (video.data as VideoData).format) ?? '16_9';
      const changed = remove ? [] : [await edited(old, wish, await openSlideMaker(client, format))];
      const slides = video.slides.flatMap((slide) => (slide.id === slideId ? changed : [slide]));
      try {
        const after = await client.updateVideo({ videoId, body: { slides } }, { ifMatch: etagOf(video) });
        return {
          data: { ...brief(after), slides: briefSlides(changed), next: 'preview_slide shows what it looks like now.' },
        };
      } catch (error) {
        // Agents edit several slides at once: the change is made again in the new version.
        if (!(error instanceof ChangedSinceError) || attempt === EDIT_ATTEMPTS) throw error;
      }
    }
  },
});

type Maker = Awaited<ReturnType<typeof openSlideMaker>>;

async function edited(old: Slide, wish: SlideWish, maker: Maker): Promise<Slide> {
  const { speech = old.speech ?? '', layout, texts = {}, presenter, voice, language, duration, canvas } = wish;
  const cast = {
    ...(presenter === undefined ? {} : maker.castOf({ presenter, ...(language !== undefined && { language }) })),
    ...(voice === undefined ? {} : voiceOf(voice)),
    ...(language === undefined ? {} : { language }),
  };
  const kept: Slide = { ...old, ...cast, speech, ...(duration === undefined ? {} : { duration }) };
  if (canvas !== undefined) return { ...kept, canvas };
  if (layout === undefined) return withSlideTexts(kept, texts);
  const { voiceProvider = null } = kept;
  const made = maker.make({ layout }, old.id, {
    avatar: kept.avatar ?? null,
    voice: kept.voice ?? null,
    voiceProvider,
  });
  return withSlideTexts({ ...kept, canvas: made.canvas ?? null, hasAvatar: made.hasAvatar ?? null }, texts);
}

function requireSlide(slides: readonly Slide[], id: number): Slide {
  const found = slides.find((slide) => slide.id === id);
  if (found !== undefined) return found;
  const ids = slides.map((slide) => slide.id).join(', ');
  throw new ToolError(`The video has no slide ${id}.`, `its slides are ${ids || 'none'}.`);
}

const previewSlide = defineTool({
  name: 'preview_slide',
  title: 'See a slide',
  description: 'A picture of a slide, exactly as in the film. Look at each slide that you made before you render.',
  effect: 'reads',
  input: Type.Object({
    videoId,
    slideId,
    at: Type.Optional(
      Type.Number({ minimum: 0, maximum: 3600, description: 'Seconds from the start; 0 unless given.' }),
    ),
  }),
  async run({ videoId, slideId, at }, { client, signal }) {
    requireSlide((await client.readVideo({ videoId })).slides, slideId);
    const query = at === undefined ? {} : { at };
    const bytes = await client.previewSlide({ videoId, slideId: String(slideId), query }, { signal });
    return { data: { videoId, slideId, at: at ?? 0 }, picture: { bytes, type: 'image/webp' } };
  },
});

const checkVideo = defineTool({
  name: 'check_video',
  title: 'Check a video',
  description: 'A dry run that reports every problem that would make rendering fail, at once.',
  effect: 'reads',
  input: Type.Object({ videoId }),
  async run({ videoId }, { client }) {
    const { valid, errors, warnings } = await client.validateVideo({ videoId });
    const next = valid ? 'render_video starts the film.' : 'correct each with edit_slide, then check_video again.';
    return { data: { valid, errors, ...(warnings && { warnings }), next } };
  },
});

const renderVideo = defineTool({
  name: 'render_video',
  title: 'Render a video',
  description: 'Starts rendering; it costs the minutes of the film.',
  effect: 'changes',
  input: Type.Object({ videoId, callbackUrl }),
  async run({ videoId, callbackUrl }, { client }) {
    await client.renderVideo({ videoId, ...(callbackUrl !== undefined && { body: { callbackUrl } }) });
    return { data: { videoId, accepted: true, next: 'wait_for_video waits for the film.' } };
  },
});

const waitTool = defineTool({
  name: 'wait_for_video',
  title: 'Wait for a video',
  description:
    'Waits until a video is ready or has failed, with progress. Call it again while the film is not finished.',
  effect: 'reads',
  input: Type.Object({
    videoId,
    seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 300, description: 'Longest wait; 50 unless given.' })),
  }),
  run: async ({ videoId, seconds = 50 }, context) => ({ data: await waited(videoId, seconds, context) }),
});

async function waited(videoId: string, seconds: number, context: ToolContext): Promise<Record<string, unknown>> {
  const timeout = AbortSignal.timeout(seconds * 1000);
  const signal = AbortSignal.any([context.signal, timeout]);
  const onProgress = (video: AnyVideo) =>
    void context.report(Number(video['progress'] ?? 0), String(video['stage'] ?? video.status));
  try {
    const ready = await waitForVideo(context.client, videoId, { signal, onProgress });
    return { ...brief(ready), subtitlesUrl: ready.subtitlesUrl };
  } catch (error) {
    if (error instanceof VideoError && error.reason === 'cancelled')
      throw new ToolError('The video is a draft: nothing renders it.', 'call render_video first.');
    if (!timeout.aborted || context.signal.aborted) throw error;
    const video = await context.client.readVideo({ videoId });
    return { ...brief(video), next: 'it is not finished: call wait_for_video again.' };
  }
}

const translateVideo = defineTool({
  name: 'translate_video',
  title: 'Translate a video',
  description:
    'Makes a draft in another language, with a voice of that language. Needs a language model on the server.',
  effect: 'adds',
  input: Type.Object({ videoId, language: Type.String({ minLength: 2, maxLength: 100, description: 'Like German.' }) }),
  async run({ videoId, language }, { client, signal }) {
    const video = await client.translateVideo({ videoId, body: { language } }, { signal });
    return { data: { ...brief(video), slides: briefSlides(video.slides), next: 'check_video, then render_video.' } };
  },
});

const renderBatch = defineTool({
  name: 'render_batch',
  title: 'Render a template for each row',
  description: 'Makes and renders one personalised video for each row of values.',
  effect: 'changes',
  input: Type.Object({
    templateId: videoId,
    rows: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      minItems: 1,
      maxItems: 200,
      description: 'Values by placeholder, like {"name": "Anna"}.',
    }),
    callbackUrl,
  }),
  async run({ templateId, rows, callbackUrl }, { client }) {
    const body = { templateData: rows, ...(callbackUrl !== undefined && { callbackUrl }) };
    const answer = await client.renderTemplate({ videoId: templateId, body });
    return { data: { ...answer, next: 'read_batch shows how far it is.' } };
  },
});

const readBatch = defineTool({
  name: 'read_batch',
  title: 'Read a batch',
  description: 'How far a batch is, with the video of each row.',
  effect: 'reads',
  input: Type.Object({ requestId: Type.String({ minLength: 1, maxLength: 100 }) }),
  async run({ requestId }, { client }) {
    const { videos, ...batch } = await client.readBatch({ requestId });
    return { data: { ...batch, videos: videos.map(brief) } };
  },
});

/** Tools about videos. */
export const VIDEO_TOOLS = [
  createVideo,
  listVideos,
  readVideo,
  editSlide,
  previewSlide,
  checkVideo,
  renderVideo,
  waitTool,
  translateVideo,
  renderBatch,
  readBatch,
];
