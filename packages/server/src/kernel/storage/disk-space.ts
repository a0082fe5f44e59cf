import type { Kernel } from '../contract.js';
import { ApiError } from '../http/error.js';

/**
 * Refuses what is about to be stored when it would touch the reserve of the disk: a clear 503 before writes fail in the middle.
 * @param bytes as announced; 0 when not known.
 * @throws ApiError `diskFull`.
 */
export async function requireDiskSpace(
  { disk, config }: Pick<Kernel, 'disk' | 'config'>,
  bytes: number,
): Promise<void> {
  if (bytes < (await disk.availableBytes())) return;
  throw new ApiError('diskFull', { reserve: `${config.diskReserveMb} MB` }, { retryAfterSeconds: 600 });
}
