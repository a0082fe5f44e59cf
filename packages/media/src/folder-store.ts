import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** An older temporary file was left by a dead process, ms. */
const STALE_MS = 3600_000;

/** Cache of bytes by name. Safe for concurrent calls, also by several processes; every lookup may miss. */
export interface ByteStore {
  get(name: string): Promise<Buffer | undefined>;
  /** Stores the bytes if there is space. Never throws on a full disk. */
  put(name: string, bytes: Uint8Array): Promise<void>;
}

/**
 * Stores files in a folder of at most `maxBytes`, evicting the least recently used. Files appear atomically; one that
 * disappears is a miss. `folder` is created. Names consist of letters, digits, dots and dashes.
 */
export async function openFolderStore(folder: string, options: { readonly maxBytes: number }): Promise<FolderStore> {
  await mkdir(folder, { recursive: true });
  return new FolderStore(folder, options.maxBytes);
}

/** A byte store in files of a folder. */
export class FolderStore implements ByteStore {
  /** Bytes written since the folder was last measured; measuring for every file would be slow. */
  #unmeasured = Number.POSITIVE_INFINITY;
  #trimming: Promise<void> | undefined;

  constructor(
    private readonly folder: string,
    private readonly maxBytes: number,
  ) {}

  async get(name: string): Promise<Buffer | undefined> {
    const file = join(this.folder, name);
    try {
      const bytes = await readFile(file);
      const now = new Date();
      await utimes(file, now, now);
      return bytes;
    } catch {
      // Missing, or just evicted by another process.
      return undefined;
    }
  }

  /** As `get`, in shared memory, which threads can read without a copy. */
  async getShared(name: string): Promise<Uint8Array | undefined> {
    const file = await open(join(this.folder, name)).catch(() => undefined);
    if (file === undefined) return undefined;
    try {
      const { size } = await file.stat();
      const bytes = new Uint8Array(new SharedArrayBuffer(size));
      const { bytesRead } = await file.read(bytes, 0, size, 0);
      const now = new Date();
      await file.utimes(now, now);
      return bytesRead === size ? bytes : undefined;
    } catch {
      return undefined;
    } finally {
      await file.close();
    }
  }

  /** Whether there is a file of this name, without reading it. */
  async holds(name: string): Promise<boolean> {
    return (await stat(join(this.folder, name)).catch(() => undefined)) !== undefined;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    if (bytes.length > this.maxBytes / 4) return;
    const part = join(this.folder, `${name}.${randomUUID().slice(0, 8)}.part`);
    try {
      await writeFile(part, bytes, { flag: 'wx' });
      await rename(part, join(this.folder, name));
    } catch {
      // A full disk must not fail the render: this is only a cache.
      await rm(part, { force: true });
      return;
    }
    this.#unmeasured += bytes.length;
    if (this.#unmeasured > this.maxBytes / 10) {
      this.#trimming ??= this.#trim().finally(() => {
        this.#trimming = undefined;
      });
      await this.#trimming;
    }
  }

  async #trim(): Promise<void> {
    this.#unmeasured = 0;
    const files = await Promise.all(
      (await readdir(this.folder)).map(async (name) => {
        const path = join(this.folder, name);
        const found = await stat(path).catch(() => undefined);
        return { path, size: found?.size ?? 0, usedMs: found?.mtimeMs ?? 0 };
      }),
    );
    files.sort((a, b) => b.usedMs - a.usedMs);
    let kept = 0;
    for (const file of files) {
      const isPart = file.path.endsWith('.part');
      if (!isPart) kept += file.size;
      const isLeft = isPart && Date.now() - file.usedMs > STALE_MS;
      if (isLeft || (!isPart && kept > this.maxBytes)) await rm(file.path, { force: true });
    }
  }
}
