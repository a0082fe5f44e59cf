import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Recording } from '@figurehead/media';
import { formatVtt } from '@figurehead/media/basic';
import type { Kernel, Tx } from '../../../kernel/contract.js';
import { recordCreations } from '../../workspaces/index.js';
import { prefixOf } from './media.js';
import * as store from './media-store.js';

// States of a recording: processing (its stream is open) → ready | error. A recording whose host died ends in error,
// and still becomes ready if the host turns out to be alive.

/** Creates the medium of a stream's recording. Throws a 429 by quota. @returns its id. */
export async function reserveRecording(kernel: Kernel, tx: Tx, workspaceId: string): Promise<string> {
  await recordCreations(kernel, tx, { workspaceId, entity: 'media' });
  const now = new Date(kernel.clock.now());
  const id = kernel.ids.next();
  await store.media.insert(tx, {
    id,
    workspaceId,
    name: `Live stream of ${now.toISOString().slice(0, 16).replace('T', ' ')}`,
    type: 'video',
    status: 'processing',
    contentType: 'video/mp4',
    size: 0,
    createdAt: now,
    updatedAt: now,
  });
  return id;
}

/** A recording, and what marks its file as made by a machine, under its name in the library. */
type MarkedRecording = Recording & { readonly mark: (title: string) => Promise<void> };

/** Puts a recording into the library. Does nothing for one that was deleted meanwhile. */
export async function publishRecording(kernel: Kernel, id: string, recording: MarkedRecording): Promise<void> {
  const row = await store.media.find(kernel.db, id);
  if (row === undefined) return;
  const prefix = prefixOf(row);
  const fileKey = `${prefix}file.${recording.contentType === 'video/mp4' ? 'mp4' : 'webm'}`;
  const captionsKey = `${prefix}captions.vtt`;
  await recording.mark(row.name);
  const captions = join(recording.path, '..', 'captions.vtt');
  await writeFile(captions, formatVtt(recording.cues));
  await kernel.objects.putFile(fileKey, recording.path, recording.contentType);
  await kernel.objects.putFile(captionsKey, captions, 'text/vtt; charset=utf-8');
  const changed = await store.media.update(kernel.db, id, {
    status: 'ready',
    contentType: recording.contentType,
    size: (await stat(recording.path)).size,
    fileKey,
    captionsKey,
    width: recording.width,
    height: recording.height,
    durationSeconds: recording.seconds,
    error: null,
    updatedAt: new Date(kernel.clock.now()),
  });
  if (changed === undefined) await kernel.objects.deletePrefix(prefix);
}

/**
 * Marks a recording that will not arrive as failed; a recording that is ready is kept.
 * @param error a sentence for the owner.
 */
export async function failRecording(kernel: Kernel, db: Tx | Kernel['db'], id: string, error: string): Promise<void> {
  const row = await store.media.find(db, id);
  if (row?.status !== 'processing') return;
  await store.media.update(db, id, { status: 'error', error, updatedAt: new Date(kernel.clock.now()) });
}
