import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plan, Workspace, WorkspaceStatus } from '@figurehead/contract';
import type { RenderedFiles, RenderedSpan, RenderPlan, SlideSpan, SpeechTurn } from '@figurehead/media';
import { sql } from 'kysely';
import { createAvatars } from '../../packages/server/src/features/avatars/index.js';
import type { FrozenVideo, RenderContext, RenderPipeline } from '../../packages/server/src/features/renders/index.js';
import {
  createSpeechMetrics,
  createVoices,
  openSpeech,
  recordingOf,
  type Voices,
} from '../../packages/server/src/features/voices/index.js';
import { createWorkspace } from '../../packages/server/src/features/workspaces/index.js';
import { createToken } from '../../packages/server/src/features/workspaces/tokens/tokens.js';
import type { Http } from '../../packages/server/src/kernel/http/contract.js';
import { createApi } from '../../packages/server/src/roles/api.js';
import { openPreviews } from '../../packages/server/src/roles/engine.js';
import { openTestKernel, type TestKernel } from './kernel.js';

/** An answer of the API with its parsed body. */
export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | number | string[] | undefined>;
  /** Parsed JSON; `undefined` when there was no body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies whose shape they are about to check
  readonly body: any;
  readonly text: string;
  readonly bytes: Buffer;
}

/** A caller with its own workspace. */
export interface TestCaller {
  readonly workspace: Workspace;
  readonly token: string;
  call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
}

/** The whole API on a separate database, without listening. */
export interface TestApi {
  readonly http: Http;
  readonly voices: Voices;
  readonly test: TestKernel;
  /** A new workspace with a token. */
  caller(settings?: {
    plan?: Plan;
    status?: WorkspaceStatus;
    minutes?: number;
    allowOverlimit?: boolean;
    moderation?: 'off' | 'flagged' | 'all';
  }): Promise<TestCaller>;
  /** Ends all deliveries, like a sender that got an answer. */
  endDeliveries(): Promise<void>;
  /** Makes a queued video wait for review, like a worker. */
  hold(videoId: string): Promise<void>;
  close(): Promise<void>;
}

/** Splits videos into spans and draws one, for a scripted pipeline; by default videos are in one piece. */
export interface ScriptedSpans {
  cut(video: FrozenVideo): readonly SlideSpan[];
  draw(video: FrozenVideo, span: SlideSpan, context: RenderContext): Promise<RenderedSpan>;
}

/** The lip-sync of a video without speech. */
const SILENT_SHEET = { fps: 25, duration: 0, peaksPerSecond: 50, peaks: [], words: [], phonemes: [], curves: [] };

/** A pipeline that draws nothing, for tests of states and transactions. @param speak makes the speech, in turns. */
export function scriptedPipeline(
  act: (video: FrozenVideo, context: RenderContext) => Promise<{ durationSeconds: number }>,
  spans?: ScriptedSpans,
  speak: (video: FrozenVideo, turn: SpeechTurn) => Promise<void> = async () => undefined,
): RenderPipeline {
  const render = async (video: FrozenVideo, context: RenderContext): Promise<RenderedFiles> => {
    const { durationSeconds } = await act(video, context);
    const file = (name: string) => writeScripted(context, name, `${name} of ${video.name}`);
    return {
      video: await file('video.mp4'),
      thumbnailJpeg: await file('thumbnail.jpg'),
      thumbnailWebp: await file('thumbnail.webp'),
      vtt: await file('subtitles.vtt'),
      srt: await file('subtitles.srt'),
      lipSync: await writeScripted(context, 'lip-sync.json.gz', gzipSync(JSON.stringify(SILENT_SHEET))),
      durationSeconds,
      report: {
        contentHash: 'none',
        frames: Math.round(durationSeconds * 25),
        segments: 1,
        reusedSegments: 0,
        slides: video.slides.map(({ id }) => ({ id, reused: [] })),
      },
    };
  };
  const stages = {
    render,
    join: render,
    async plan(video: FrozenVideo, _context: RenderContext, turn: SpeechTurn): Promise<RenderPlan> {
      await speak(video, turn);
      return {
        speech: [],
        timeline: { fps: 25, frames: 1, samples: 1920, slides: [], chapters: [], cues: [] },
        spans: spans?.cut(video) ?? [{ from: 0, to: video.slides.length, frames: 1 }],
      };
    },
    share: async (_video: FrozenVideo, context: RenderContext) => ({
      plan: await writeScripted(context, 'plan.json', '[]'),
      sound: await writeScripted(context, 'sound', 'la'),
    }),
    async span(video: FrozenVideo, context: RenderContext, { span }: { readonly span: SlideSpan }) {
      if (spans === undefined) throw new Error('expected a video in one piece');
      return spans.draw(video, span, context);
    },
  };
  const run = (stage: keyof typeof stages, ...args: never[]) =>
    (stages[stage] as (...args: never[]) => unknown)(...args);
  return { validate: async () => [], run: run as RenderPipeline['run'] };
}

async function writeScripted(context: RenderContext, name: string, content: string | Uint8Array): Promise<string> {
  const path = join(context.folder, name);
  await writeFile(path, content);
  return path;
}

/**
 * A machine that is busy with other tests delays event loops, so only tests of this limit refuse calls because of it. No number is
 * enough: a loop that was too late for one measurement counts as infinitely late.
 */
export const ANY_DELAY = { loopMs: Number.POSITIVE_INFINITY, slotMs: 300_000 };

/**
 * Opens the API for a test file. Close it after the last test.
 * @param refusesWhenLate refuses calls when its event loop is late, as in production.
 */
export async function openTestApi(
  env: Record<string, string> = {},
  pipeline: RenderPipeline = scriptedPipeline(async () => ({ durationSeconds: 2 })),
  { refusesWhenLate = false } = {},
): Promise<TestApi> {
  const test = await openTestKernel(env);
  const { kernel } = test;
  const speechMetrics = createSpeechMetrics();
  const speech = openSpeech(kernel.config, {
    onUnavailable: (provider, error) => kernel.log.warn({ err: error, provider }, 'a provider cannot list its voices'),
    onSpoken: speechMetrics.onSpoken,
    recordingOf: recordingOf(kernel),
  });
  kernel.lifecycle.onClose('speech', () => speech.close());
  const voices = createVoices(kernel, speech);
  const avatars = createAvatars(kernel);
  const previews = openPreviews(kernel, { voices, avatars });
  const engine = { voices, avatars, pipeline, previews, speechMetrics };
  const http = createApi(kernel, engine, refusesWhenLate ? undefined : ANY_DELAY);
  await http.app.ready();
  return {
    http,
    voices,
    test,
    async caller(settings = {}) {
      const workspace = await createWorkspace(kernel, {
        name: 'Test',
        plan: 'Team',
        status: 'active',
        minutes: 100,
        ...settings,
      });
      const { token } = await createToken(kernel, { workspaceId: workspace._id, userId: workspace._id, name: 'test' });
      return {
        workspace,
        token,
        call: (method, path, body, headers) =>
          call(http, { method, path, body, headers: { authorization: `Bearer ${token}`, ...headers } }),
      };
    },
    async endDeliveries() {
      await sql`update deliveries set status = 'delivered', finished_at = now() where status = 'pending'`.execute(
        kernel.db,
      );
    },
    async hold(videoId) {
      const result = {
        videoKey: 'x/video.mp4',
        thumbnailKey: 'x/thumbnail.jpg',
        subtitlesKey: 'x/subtitles.vtt',
        durationSeconds: 1,
        words: [],
      };
      await sql`update renders set state = 'moderation', result = ${JSON.stringify(result)}::jsonb where video_id = ${videoId}`.execute(
        kernel.db,
      );
      await sql`update videos set status = 'moderation' where id = ${videoId}`.execute(kernel.db);
    },
    close: () => test.close(),
  };
}

/** One request to the API; a body of text or bytes is sent as it is. */
export async function call(
  http: Http,
  request: {
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    path: string;
    body?: unknown;
    headers?: Record<string, string>;
  },
): Promise<Answer> {
  const { method, path, body, headers = {} } = request;
  const answer = await http.app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined
      ? {}
      : { payload: typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body) }),
  });
  const isJson = String(answer.headers['content-type'] ?? '').includes('json');
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: answer.body,
    bytes: answer.rawPayload,
    body: isJson ? JSON.parse(answer.body) : undefined,
  };
}
