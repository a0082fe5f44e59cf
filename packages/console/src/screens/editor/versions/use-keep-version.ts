import type { VersionInput, VideoVersionSummary } from '@figurehead/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../../api/client.js';
import { useEditor } from '../store.js';

/** Query of the versions of a video. */
export function versionsOf(videoId: string) {
  return ['versions', videoId] as const;
}

/** Saves the document, and lets the server keep it as a version. */
export function useKeepVersion(): (input: VersionInput) => Promise<VideoVersionSummary> {
  const api = useApi();
  const queries = useQueryClient();
  const { flush, videoId } = useEditor();
  return async (body) => {
    await flush();
    const version = await api.keepVideoVersion({ videoId, body });
    void queries.invalidateQueries({ queryKey: versionsOf(videoId) });
    return version;
  };
}
