import { buffer } from 'node:stream/consumers';
import { decodeWav } from '@figurehead/media/basic';
import type { Kernel } from '../../../kernel/contract.js';
import { type VoiceCloneRow, voiceClones } from './clone-store.js';

/** Key of the recording of a voice, a WAV file. */
export function recordingKey({ workspaceId, id }: Pick<VoiceCloneRow, 'workspaceId' | 'id'>): string {
  return `${workspaceId}/clones/${id}.wav`;
}

/** Reads recordings of cloned voices by the voice's id, 48 kHz mono; `undefined` for a deleted one. */
export function recordingOf({ db, objects }: Kernel): (id: string) => Promise<Int16Array | undefined> {
  return async (id) => {
    const row = await voiceClones.find(db, id);
    const object = row && (await objects.get(recordingKey(row)));
    return object && decodeWav(await buffer(object.body));
  };
}
