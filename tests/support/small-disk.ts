import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A data folder whose temporary folders are on a small disk of their own. */
export interface SmallDisk {
  readonly dataDir: string;
  /** The folder of temporary folders. */
  readonly folder: string;
  /** @param size such as `64k`. */
  resize(size: string): void;
  close(): void;
}

/** Mounts the disk, which only root can; `undefined` elsewhere. @param size such as `64k`. The caller closes it. */
export function mountSmallDisk(size: string): SmallDisk | undefined {
  const dataDir = mkdtempSync(join(tmpdir(), 'fh-full-'));
  const folder = join(dataDir, 'tmp');
  mkdirSync(folder);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]).status !== 0) {
    rmSync(dataDir, { recursive: true });
    return undefined;
  }
  return {
    dataDir,
    folder,
    resize: (wanted) => execFileSync('mount', ['-o', `remount,size=${wanted}`, folder]),
    close() {
      execFileSync('umount', [folder]);
      rmSync(dataDir, { recursive: true });
    },
  };
}
