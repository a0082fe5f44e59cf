/** What a run is given besides its arguments. */
interface ProgramInput {
  /** Files by name. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
  /** Hears the program open something in a directory of this negative descriptor; its answer is the program's. */
  readonly tap?: { readonly directory: number; readonly onOpen: (values: readonly number[]) => number };
}

const SUCCESS = 0;
const BAD_DESCRIPTOR = 8;
const NOT_FOUND = 44;
const NOT_SEEKABLE = 70;
const ROOT = 3;

/** Thrown through the program when it calls `exit`. */
class Exit extends Error {
  constructor(readonly status: number) {
    super(`exit ${status}`);
  }
}

/**
 * One run of a WASI preview 1 command (github.com/WebAssembly/WASI, snapshot 01) whose files are all in memory and are only read: as
 * much of the interface as Flite uses. Instantiating copies the program's 20 MB of voices, so that it pays to make one before
 * it is needed; it can run once.
 */
export class MemoryProgram {
  readonly #instance: WebAssembly.Instance;
  readonly #memory: WebAssembly.Memory;
  readonly #open = new Map<number, { readonly data: Uint8Array; position: number }>();
  readonly #stdout: Uint8Array[] = [];
  #arguments: Uint8Array[] = [];
  #input: ProgramInput = {};
  #nextFd = ROOT + 1;

  constructor(module: WebAssembly.Module) {
    this.#instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: this.#imports() });
    const { memory } = this.#instance.exports;
    if (!(memory instanceof WebAssembly.Memory)) throw new Error('expected a WASI command that exports its memory');
    this.#memory = memory;
  }

  /** The program's memory at this moment; growing replaces it. */
  get memory(): ArrayBuffer {
    return this.#memory.buffer;
  }

  /** Runs to the end and gives what was printed. Throws when the program traps or exits with a status other than 0. */
  run(args: readonly string[], input: ProgramInput): string {
    this.#arguments = args.map((argument) => new TextEncoder().encode(`${argument.replaceAll('\0', ' ')}\0`));
    this.#input = input;
    try {
      this.#exported('_start')();
    } catch (error) {
      if (!(error instanceof Exit) || error.status !== 0) throw error;
    }
    return Buffer.concat(this.#stdout).toString('utf8');
  }

  /** Calls one of the program's functions; for use inside a tap. */
  call(name: string, ...values: readonly number[]): number {
    return Number(this.#exported(name)(...values));
  }

  #exported(name: string): (...values: number[]) => unknown {
    const found = this.#instance.exports[name];
    if (typeof found !== 'function') throw new Error(`expected a program that exports ${name}`);
    return found as (...values: number[]) => unknown;
  }

  get #view(): DataView {
    return new DataView(this.#memory.buffer);
  }

  #bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, at, length);
  }

  #imports(): Record<string, (...values: never[]) => number> {
    return {
      args_sizes_get: (count: number, size: number) => {
        this.#view.setUint32(count, this.#arguments.length, true);
        this.#view.setUint32(
          size,
          this.#arguments.reduce((sum, argument) => sum + argument.length, 0),
          true,
        );
        return SUCCESS;
      },
      args_get: (pointers: number, buffer: number) => {
        let at = buffer;
        for (const [index, argument] of this.#arguments.entries()) {
          this.#view.setUint32(pointers + 4 * index, at, true);
          this.#bytes(at, argument.length).set(argument);
          at += argument.length;
        }
        return SUCCESS;
      },
      clock_time_get: (_clock: number, _precision: bigint, result: number) => {
        // A clock that stands still keeps the program deterministic.
        this.#view.setBigUint64(result, 0n, true);
        return SUCCESS;
      },
      fd_close: (fd: number) => {
        this.#open.delete(fd);
        return SUCCESS;
      },
      fd_fdstat_get: (fd: number, result: number) => {
        const type = fd === ROOT ? 3 : fd < ROOT ? 2 : 4;
        this.#view.setUint8(result, type);
        this.#view.setUint16(result + 2, 0, true);
        this.#view.setBigUint64(result + 8, 0xffff_ffff_ffff_ffffn, true);
        this.#view.setBigUint64(result + 16, 0xffff_ffff_ffff_ffffn, true);
        return SUCCESS;
      },
      fd_fdstat_set_flags: () => SUCCESS,
      fd_prestat_get: (fd: number, result: number) => {
        if (fd !== ROOT) return BAD_DESCRIPTOR;
        this.#view.setUint8(result, 0);
        this.#view.setUint32(result + 4, 1, true);
        return SUCCESS;
      },
      fd_prestat_dir_name: (_fd: number, path: number) => {
        this.#view.setUint8(path, '/'.charCodeAt(0));
        return SUCCESS;
      },
      fd_read: (fd: number, vectors: number, count: number, result: number) => {
        const open = this.#open.get(fd);
        let total = 0;
        for (const [at, length] of this.#vectors(vectors, count)) {
          if (!open) break;
          const part = open.data.subarray(open.position, open.position + length);
          this.#bytes(at, part.length).set(part);
          open.position += part.length;
          total += part.length;
        }
        this.#view.setUint32(result, total, true);
        return SUCCESS;
      },
      fd_write: (fd: number, vectors: number, count: number, result: number) => {
        let total = 0;
        for (const [at, length] of this.#vectors(vectors, count)) {
          if (fd === 1) this.#stdout.push(this.#bytes(at, length).slice());
          total += length;
        }
        this.#view.setUint32(result, total, true);
        return SUCCESS;
      },
      fd_seek: (fd: number, offset: bigint, whence: number, result: number) => {
        const open = this.#open.get(fd);
        if (!open) return NOT_SEEKABLE;
        const base = [0, open.position, open.data.length][whence] ?? 0;
        open.position = base + Number(offset);
        this.#view.setBigUint64(result, BigInt(open.position), true);
        return SUCCESS;
      },
      path_open: (
        directory: number,
        lookup: number,
        path: number,
        pathLength: number,
        flags: number,
        _rights: bigint,
        _inheriting: bigint,
        _fdFlags: number,
        result: number,
      ) => {
        const { files = {}, tap } = this.#input;
        if (directory === tap?.directory) return tap.onOpen([lookup, path, pathLength, flags]);
        if (directory !== ROOT) return BAD_DESCRIPTOR;
        const data = files[new TextDecoder().decode(this.#bytes(path, pathLength).slice())];
        if (!data) return NOT_FOUND;
        const fd = this.#nextFd++;
        this.#open.set(fd, { data, position: 0 });
        this.#view.setUint32(result, fd, true);
        return SUCCESS;
      },
      proc_exit: (status: number) => {
        throw new Exit(status);
      },
    };
  }

  *#vectors(at: number, count: number): Generator<readonly [number, number]> {
    for (let index = 0; index < count; index++) {
      yield [this.#view.getUint32(at + 8 * index, true), this.#view.getUint32(at + 8 * index + 4, true)];
    }
  }
}
