import { effectiveColumn, FREE_RENDERED_SLIDES, type Plan, type WorkspaceStatus } from '@figurehead/contract/limits';
import type { VideoRow } from '../../videos/index.js';
import type { FrozenVideo } from '../contract.js';

/** A snapshot of a video for rendering. @param aiLabel of its workspace. */
export function freeze(
  video: Pick<VideoRow, 'id' | 'workspaceId' | 'name' | 'data' | 'slides'>,
  aiLabel: string | null,
  fitTextBox: boolean,
): FrozenVideo {
  const { id, workspaceId, name, data, slides } = video;
  return { workspaceId, videoId: id, name, data: labelled(data, aiLabel), slides, fitTextBox };
}

/** Settings of a video with its workspace's label, unless it has its own. */
export function labelled<Data extends Readonly<Record<string, unknown>>>(data: Data, aiLabel: string | null): Data {
  const hasOwn = String(data['aiLabel'] ?? '').trim() !== '';
  return aiLabel === null || hasOwn ? data : { ...data, aiLabel };
}

/** The rendered part: all slides, or the first three on the effective plan Free (§8.4). */
export function renderedPart(video: FrozenVideo, workspace: { plan: Plan; status: WorkspaceStatus }): FrozenVideo {
  const isFree = effectiveColumn(workspace.plan, workspace.status) === 'Free';
  return isFree ? { ...video, slides: video.slides.slice(0, FREE_RENDERED_SLIDES) } : video;
}
