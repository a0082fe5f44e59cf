import type { Media } from '@figurehead/sdk';
import { useAction, useApi } from '../api/client.js';

/** The picked medium: its URL, and its name and size in px if known. */
export interface Picked {
  readonly url: string;
  readonly name?: string;
  readonly width?: number;
  readonly height?: number;
}

/** Maximum wait for an upload to be processed before a message is shown, milliseconds. */
const READING_MS = 120_000;

/** Puts a file into the library; `onPick` gets it once slides can use it. */
export function useUploadedMedium(onPick: (picked: Picked) => void) {
  return useUpload((one) => onPick(pickedOf(one)));
}

/** Puts a file into the library; `onReady` gets the medium once it is processed. */
export function useUpload(onReady: (medium: Media) => void) {
  return useAction(useUploader(), { changes: MEDIA_CHANGES, onDone: onReady });
}

/** Queries that an upload changes. */
export const MEDIA_CHANGES = [['media'], ['apiConfig']];

/** Puts a file into the library; resolves with the medium once it is processed. */
export function useUploader(): (file: File) => Promise<Media> {
  const api = useApi();
  return async (file) => {
    const made = await api.createMedia({ file, body: { name: file.name } });
    return settled(made, (mediaId) => api.readMedia({ mediaId }));
  };
}

/** A medium of the library as a slide takes it. */
export function pickedOf({ url = '', name, width, height }: Media): Picked {
  return { url, name, ...(width !== undefined && { width }), ...(height !== undefined && { height }) };
}

/** An upload once the server has processed it. */
async function settled(made: Media, read: (mediaId: string) => Promise<Media>): Promise<Media> {
  const until = Date.now() + READING_MS;
  let now = made;
  while (now.status === 'processing' && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 400));
    now = await read(made._id);
  }
  if (now.status === 'error') throw new Error(now.error ?? 'This file could not be read.');
  if (!now.url) throw new Error('The upload is still being processed; it appears in the library in a moment.');
  return now;
}
