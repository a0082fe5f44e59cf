import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Assets,
  findProblems,
  joinSpans,
  parseDocument,
  planDocument,
  type RenderJob,
  type RenderResources,
  renderDocument,
  renderSpan,
  shareDocument,
} from '@figurehead/media';
import type { FrozenVideo, RenderContext, RenderPipeline } from '../contract.js';
import { type MediaKind, mediaProblems } from '../media/index.js';
import { errorsOf, explained } from './render-problems.js';

/** How long a dry run may look for media, ms: well within the patience of a client. */
const DRY_RUN_MS = 20_000;

/** What the pipeline is put together from. */
export interface PipelineParts {
  /** What a workspace's documents are rendered with; `folder` takes media that have to be files. */
  resources(workspaceId: string, run: Pick<RenderContext, 'folder' | 'signal'>): RenderResources;
  /** Opens a medium for a dry run, in a process of its own; rejects with what is wrong with it. */
  inspect(
    what: MediaKind,
    src: string,
    context: { readonly workspaceId: string; readonly assets: Assets; readonly signal: AbortSignal },
  ): Promise<void>;
}

/** The engine for stored videos: parses them, finds their resources, and says what is wrong with them in the API's words. */
export function createPipeline(parts: PipelineParts): RenderPipeline {
  const jobOf = (video: FrozenVideo, context: RenderContext): RenderJob => ({
    ...parseDocument(video, { fitTextBox: video.fitTextBox }),
    resources: parts.resources(video.workspaceId, context),
    output: context.folder,
    signal: context.signal,
    onProgress: (progress) => context.onProgress(progress),
  });
  return {
    validate: (video) => dryRun(parts, video),
    plan: (video, context) => explained(() => planDocument(jobOf(video, context))),
    render: (video, context, plan) => explained(() => renderDocument(jobOf(video, context), plan)),
    share: (video, context, plan) => explained(() => shareDocument(jobOf(video, context), plan)),
    renderSpan: (video, context, part) => explained(() => renderSpan(jobOf(video, context), part)),
    join: (video, context, spread) => explained(() => joinSpans(jobOf(video, context), spread)),
  };
}

async function dryRun(parts: PipelineParts, video: FrozenVideo): ReturnType<RenderPipeline['validate']> {
  const folder = await mkdtemp(join(tmpdir(), 'figurehead-dry-run-'));
  try {
    const signal = AbortSignal.timeout(DRY_RUN_MS);
    const resources = parts.resources(video.workspaceId, { folder, signal });
    const { document, problems } = parseDocument(video);
    const context = { workspaceId: video.workspaceId, assets: resources.assets, signal };
    const [found, unusable] = await Promise.all([
      findProblems(document, resources),
      mediaProblems(document, (what, src) => parts.inspect(what, src, context), signal),
    ]);
    return [...errorsOf(problems), ...errorsOf(found), ...unusable];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
