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
import type { TemporaryFolders } from '../../../kernel/contract.js';
import type { FrozenVideo, RenderContext, RenderPipeline } from '../contract.js';
import { type MediaKind, mediaProblems } from '../media-check.js';
import { errorsOf, explained, withOutages } from '../problems.js';

/** Time limit for checking media in a dry run, ms: well below a client's timeout. */
const DRY_RUN_MS = 20_000;

/** Dependencies of the pipeline. */
export interface PipelineParts {
  /** For the media of dry runs. */
  readonly temporary: Pick<TemporaryFolders, 'within'>;
  /** Resources for rendering a workspace's documents; `folder` stores media that must be files. */
  resources(workspaceId: string, run: Pick<RenderContext, 'folder' | 'signal'>): RenderResources;
  /** Opens a medium for a dry run, in a separate process; rejects with its problem. */
  inspect(
    what: MediaKind,
    src: string,
    context: { readonly workspaceId: string; readonly assets: Assets; readonly signal: AbortSignal },
  ): Promise<void>;
}

/** The engine for stored videos: parses them, finds their resources, and reports problems in the API's format. */
export function createPipeline(parts: PipelineParts): RenderPipeline {
  const jobOf = (video: FrozenVideo, context: RenderContext): RenderJob => ({
    ...parseDocument(video, { fitTextBox: video.fitTextBox }),
    resources: withOutages(parts.resources(video.workspaceId, context)),
    output: context.folder,
    signal: context.signal,
    onProgress: (progress) => context.onProgress(progress),
  });
  return {
    validate: (video) => explained(() => dryRun(parts, video)),
    plan: (video, context, turn) => explained(() => planDocument(jobOf(video, context), turn)),
    render: (video, context, plan) => explained(() => renderDocument(jobOf(video, context), plan)),
    share: (video, context, plan) => explained(() => shareDocument(jobOf(video, context), plan)),
    renderSpan: (video, context, part) => explained(() => renderSpan(jobOf(video, context), part)),
    join: (video, context, spread) => explained(() => joinSpans(jobOf(video, context), spread)),
  };
}

function dryRun(parts: PipelineParts, video: FrozenVideo): ReturnType<RenderPipeline['validate']> {
  return parts.temporary.within('dry-run-', async (folder) => {
    const signal = AbortSignal.timeout(DRY_RUN_MS);
    const resources = parts.resources(video.workspaceId, { folder, signal });
    const { document, problems } = parseDocument(video);
    const context = { workspaceId: video.workspaceId, assets: resources.assets, signal };
    const [found, unusable] = await Promise.all([
      findProblems(document, withOutages(resources)),
      mediaProblems(document, (what, src) => parts.inspect(what, src, context), signal),
    ]);
    return [...errorsOf(problems), ...errorsOf(found), ...unusable];
  });
}
