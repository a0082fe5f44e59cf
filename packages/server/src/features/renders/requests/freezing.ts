import { effectiveColumn, FREE_RENDERED_SLIDES, type Plan, type WorkspaceStatus } from '@figurehead/contract/limits';
import type { VideoRow } from '../../videos/index.js';
import type { FrozenVideo } from '../contract.js';

/** A snapshot of a video for rendering. */
export function freeze(
  video: Pick<VideoRow, 'id' | 'workspaceId' | 'name' | 'data' | 'slides'>,
  fitTextBox: boolean,
): FrozenVideo {
  const { id, workspaceId, name, data, slides } = video;
  return { workspaceId, videoId: id, name, data, slides, fitTextBox };
}

/** The rendered part: all slides, or the first three on the effective plan Free (§8.4). */
export function renderedPart(video: FrozenVideo, workspace: { plan: Plan; status: WorkspaceStatus }): FrozenVideo {
  const isFree = effectiveColumn(workspace.plan, workspace.status) === 'Free';
  return isFree ? { ...video, slides: video.slides.slice(0, FREE_RENDERED_SLIDES) } : video;
}
