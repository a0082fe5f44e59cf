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
import type { FrozenVideo, RenderContext, RenderPipeline, RenderStages } from '../contract.js';
import { type MediaKind, mediaProblems } from '../media-check.js';
import { errorsOf, explained, withOutages } from '../problems.js';

/** Time limit for checking media in a dry run, ms: well below a client's timeout. */
const DRY_RUN_MS = 20_000;

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

const STAGES: RenderStages = {
  plan: planDocument,
  render: renderDocument,
  share: shareDocument,
  span: renderSpan,
  join: joinSpans,
};

/** The engine for stored videos: parses them, finds their resources, and reports problems in the API's format. */
export function createPipeline(parts: PipelineParts): RenderPipeline {
  return {
    validate: (video) => explained(() => dryRun(parts, video)),
    run: (stage, video, context, ...input) => {
      const act = STAGES[stage] as (job: RenderJob, ...input: unknown[]) => Promise<unknown>;
      const { folder: output, signal, onProgress } = context;
      return explained(() => {
        const parsed = parseDocument(video, { fitTextBox: video.fitTextBox });
        const resources = withOutages(parts.resources(video.workspaceId, context));
        return act({ ...parsed, resources, output, signal, onProgress }, ...input);
      }) as ReturnType<RenderStages[typeof stage]>;
    },
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
