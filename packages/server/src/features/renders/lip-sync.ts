import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { LipSync } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';
import type { StoredVideo } from '../videos/index.js';

const stretch = promisify(gunzip);

/**
 * The data that moved the mouths of a finished video. Throws a 400 when there is none: not rendered yet, or by an
 * earlier version.
 */
export async function readLipSync(
  kernel: Pick<Kernel, 'objects'>,
  { status, lipSyncKey }: Pick<StoredVideo, 'status' | 'lipSyncKey'>,
): Promise<LipSync> {
  const found = status === 'ready' && lipSyncKey !== null ? await kernel.objects.get(lipSyncKey) : undefined;
  if (found === undefined && status === 'ready') {
    throw new ApiError('badRequest', { reason: 'the video was rendered by an earlier version; render it again' });
  }
  if (found === undefined) throw new ApiError('notRendered', { status });
  // Written by the engine during rendering.
  return JSON.parse(String(await stretch(await buffer(found.body)))) as LipSync;
}
