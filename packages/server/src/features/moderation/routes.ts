import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';
import type { Caller, Http } from '../../kernel/http/contract.js';
import { loadLiveVideo, type StoredVideo } from '../videos/index.js';
import { approveVideo, listCases, rejectVideo } from './moderation.js';

/** Serves the reviewers' pages, for owners and reviewers only. */
export function bindModeration(http: Http, kernel: Kernel): void {
  const resource = async ({
    caller,
    params,
  }: {
    caller: Caller;
    params: { videoId: string };
  }): Promise<StoredVideo> => {
    const video = await loadLiveVideo(kernel, caller, params.videoId);
    requireReviewer(caller);
    return video;
  };
  http.bind('listModeration', {
    handle: async ({ caller, query }) => {
      requireReviewer(caller);
      return { ...(await listCases(kernel, caller.workspace.id, query)), ...query };
    },
  });
  http.bind('approveVideo', {
    resource,
    handle: async ({ resource: video }) => decided(await approveVideo(kernel, video.id)),
  });
  http.bind('rejectVideo', {
    resource,
    handle: async ({ resource: video, body }) => decided(await rejectVideo(kernel, video.id, body?.reason)),
  });
}

function requireReviewer(caller: Caller): void {
  if (caller.role === 'member') throw new ApiError('roleRequired', { role: 'owner or reviewer' });
}

function decided(wasWaiting: boolean): { accepted: true } {
  if (!wasWaiting) throw new ApiError('badRequest', { reason: 'the video is not waiting for review' });
  return { accepted: true };
}
