import type { VideoSummary } from '@figurehead/sdk';
import { useLocation } from 'wouter';
import { useAction, useApi } from '../../api/client.js';
import { noteRender } from '../../api/render-notices.js';

/** Actions for a video in lists and on its page. */
export function useVideoActions(
  video: Pick<VideoSummary, '_id' | 'name'>,
  options: { readonly afterDelete?: string } = {},
) {
  const api = useApi();
  const [, go] = useLocation();
  const videoId = video._id;
  const changes = [['videos'], ['video', videoId], ['apiConfig']];
  const render = useAction(() => api.renderVideo({ videoId }), {
    done: 'Rendering starts.',
    changes,
    onDone: () => noteRender(videoId),
  });
  const cancel = useAction(() => api.cancelRender({ videoId }), { done: 'Rendering was cancelled.', changes });
  const copy = useAction(() => api.copyVideo({ body: { videoId } }), {
    changes,
    done: 'A copy was created.',
    onDone: (made) => go(`/videos/${made._id}/edit`),
  });
  const remove = useAction(() => api.deleteVideo({ videoId }), {
    changes,
    done: 'The video was deleted.',
    onDone: () => options.afterDelete && go(options.afterDelete),
  });
  return {
    render,
    cancel,
    copy,
    remove: () => {
      if (window.confirm(`Delete “${video.name}”? Its file and links go with it.`)) remove.mutate();
    },
  };
}
