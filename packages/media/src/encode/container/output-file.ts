import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';

/** A file could not be written: disk full, or another error of the file system. */
export class OutputError extends Error {
  override readonly name = 'OutputError';

  constructor(
    readonly code: 'disk_full' | 'write_failed',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * A file whose head can only be written last: its payload is collected in a temporary file, then both are combined
 * under the final name. While it finishes, it uses twice the file's size on disk. Exactly one of `finish` and `discard`
 * ends it.
 */
export class SpooledFile {
  #bytes = 0;
  #closed = false;

  private constructor(
    private readonly path: string,
    private readonly paths: { readonly payload: string; readonly result: string },
    private readonly spool: FileHandle,
  ) {}

  /** Starts a file at `path` (replaced if it exists). Throws {@link OutputError}. */
  static async open(path: string): Promise<SpooledFile> {
    const mark = randomUUID().slice(0, 8);
    const paths = { payload: `${path}.${mark}.payload`, result: `${path}.${mark}.part` };
    return new SpooledFile(path, paths, await guarded(path, () => open(paths.payload, 'wx+')));
  }

  /** Bytes of payload so far, including placed parts that are not yet written. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds `data` to `parts`, which the caller appends next; returns its future position in the payload. */
  place(data: Uint8Array, parts: Uint8Array[]): number {
    const at = this.#bytes;
    parts.push(data);
    this.#bytes += data.length;
    return at;
  }

  /** Writes placed parts. Throws {@link OutputError}. */
  async append(parts: readonly Uint8Array[]): Promise<void> {
    await guarded(this.path, () => writeAll(this.spool, parts));
  }

  /**
   * Writes head and payload and moves the file to its place. Throws {@link OutputError}; then no file remains.
   */
  async finish(head: readonly Uint8Array[]): Promise<void> {
    try {
      await guarded(this.path, async () => {
        const file = await open(this.paths.result, 'wx');
        try {
          await writeAll(file, head);
          await this.#copyInto(file);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(this.paths.result, this.path);
      });
    } finally {
      await this.discard();
    }
  }

  /** Removes everything written. Idempotent, harmless after `finish`. */
  async discard(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.spool.close();
    await rm(this.paths.payload, { force: true });
    await rm(this.paths.result, { force: true });
  }

  async #copyInto(file: FileHandle): Promise<void> {
    const piece = Buffer.allocUnsafe(1 << 20);
    for (let at = 0; at < this.#bytes; ) {
      const { bytesRead } = await this.spool.read(piece, 0, piece.length, at);
      if (bytesRead === 0) throw new Error(`expected ${this.#bytes} bytes of samples, got ${at}`);
      await writeAll(file, [piece.subarray(0, bytesRead)]);
      at += bytesRead;
    }
  }
}

async function writeAll(file: FileHandle, parts: readonly Uint8Array[]): Promise<void> {
  let rest = Buffer.concat(parts);
  // A nearly full disk writes only a part and reports it only by the count.
  while (rest.length > 0) {
    const { bytesWritten } = await file.write(rest, 0, rest.length);
    rest = rest.subarray(bytesWritten);
  }
}

/** Converts file system errors to {@link OutputError}. */
async function guarded<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof OutputError || !(error instanceof Error) || !('code' in error)) throw error;
    const full = error.code === 'ENOSPC' || error.code === 'EDQUOT';
    throw new OutputError(
      full ? 'disk_full' : 'write_failed',
      full ? `no space left on the disk for ${path}` : `cannot write ${path}: ${error.message}`,
      { cause: error },
    );
  }
}
