import type { Kernel } from '../contract.js';
import { ApiError } from '../errors.js';

/**
 * Refuses an upload that would use the disk's reserve: a clear 503 instead of a write error halfway.
 * @param bytes announced size; 0 when unknown.
 * @throws ApiError `diskFull`.
 */
export async function requireDiskSpace(
  { disk, config }: Pick<Kernel, 'disk' | 'config'>,
  bytes: number,
): Promise<void> {
  if (bytes < (await disk.availableBytes())) return;
  throw new ApiError('diskFull', { reserve: `${config.diskReserveMb} MB` }, { retryAfterSeconds: 600 });
}
