import { statfs } from 'node:fs/promises';
import type { Registry } from 'prom-client';
import type { Clock, Disk } from '../contract.js';
import { gaugeOf } from '../observability/measures.js';

/** Cache time of a measurement: a disk does not fill in a moment, and a burst of uploads must not measure each time. */
const FRESH_MS = 1000;

/** The part of `statfs` that we need: free blocks for ordinary users, and their size in bytes. */
export type ReadFileSystem = (path: string) => Promise<{ bavail: number; bsize: number }>;

/**
 * Watches the disk of the data folder, so that work is refused with a clear error instead of a write error halfway.
 * @param options.reserveBytes stays free.
 * @param options.read for tests; default the system's `statfs`.
 */
export function watchDisk(options: {
  folder: string;
  reserveBytes: number;
  clock: Pick<Clock, 'monotonic'>;
  metrics: Registry;
  read?: ReadFileSystem;
}): Disk {
  const { folder, reserveBytes, clock, metrics, read = statfs } = options;
  let known: { free: number; at: number } | undefined;

  async function freeBytes(): Promise<number> {
    const { bavail, bsize } = await read(folder);
    known = { free: bavail * bsize, at: clock.monotonic() };
    return known.free;
  }

  gaugeOf(metrics, 'figurehead_disk_free_bytes', 'Bytes free on the disk of the data folder.', freeBytes);
  const reserve = 'Bytes below which uploads are refused and renders wait.';
  gaugeOf(metrics, 'figurehead_disk_reserve_bytes', reserve, () => reserveBytes);

  return {
    availableBytes: async () => (await freeBytes()) - reserveBytes,
    async hasSpace() {
      const isFresh = known !== undefined && clock.monotonic() - known.at < FRESH_MS;
      return (isFresh && known !== undefined ? known.free : await freeBytes()) > reserveBytes;
    },
  };
}
