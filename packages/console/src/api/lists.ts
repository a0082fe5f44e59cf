import type { Video } from '@figurehead/sdk';
import { useAll, useRead } from './client.js';

/** Folders of videos. */
export function useFolders() {
  return useAll(['folders'], (api, call) => api.listFolders({ query: { limit: 100 } }, call));
}

/** One video; see {@link useRead} for the options. The SDK knows the version of an object that it made, not of copies. */
export function useVideo(videoId: string, options: Parameters<typeof useRead<Video>>[2] = {}) {
  return useRead<Video>(['video', videoId], (api, call) => api.readVideo({ videoId }, call), {
    structuralSharing: false,
    ...options,
  });
}
