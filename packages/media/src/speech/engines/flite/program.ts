import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim';
import { STACK, type TappedFunction, type TappedProgram } from './wave-tap.js';

/** Options of a run, in addition to its arguments. */
interface ProgramInput {
  /** Files by name. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
  /** `onOpen` replaces opening a path in the directory with this negative descriptor; its result is returned to the program. */
  readonly tap?: { readonly directory: number; readonly onOpen: (values: readonly number[]) => number };
}

type Imports = Record<string, (...values: never[]) => unknown>;

/** An instance with the exports of a WASI command, and its stack pointer. */
type Command = WebAssembly.Instance & {
  exports: { memory: WebAssembly.Memory; _start: () => unknown; [STACK]: { value: number } };
};

/** Memory of a program that is not run again, bytes: a long sentence needs more than others, and memory never shrinks. */
const MAX_KEPT_BYTES = 64_000_000;

/**
 * A WASI preview 1 command (github.com/WebAssembly/WASI, snapshot 01), patched by `tapWaves`, with all files in memory. Instantiation copies the
 * program's 20 MB of voices, so create it before it is needed. After a run it needs {@link reset}.
 */
export class MemoryProgram {
  readonly #wasi = new WASI([], [], [], { debug: false });
  readonly #instance: Command;
  /** Memory that a run changes, as it was before the first one, and where it begins. */
  readonly #initial: { readonly at: number; readonly bytes: Uint8Array; readonly stack: number };
  #tap: ProgramInput['tap'];

  /** @param module.variables address from which on a run changes the memory. */
  constructor({ module, variables }: TappedProgram) {
    const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: this.#imports() });
    if (!(instance.exports['memory'] instanceof WebAssembly.Memory))
      throw new Error('expected a WASI command that exports its memory');
    this.#instance = instance as Command;
    const { memory, [STACK]: stack } = this.#instance.exports;
    this.#initial = { at: variables, bytes: new Uint8Array(memory.buffer.slice(variables)), stack: stack.value };
  }

  /** Prepares another run, ten times faster than another instance. @returns false when the program should be dropped. */
  reset(): boolean {
    const { at, bytes, stack } = this.#initial;
    if (this.memory.byteLength > MAX_KEPT_BYTES) return false;
    const variables = new Uint8Array(this.memory, at);
    variables.set(bytes);
    variables.fill(0, bytes.length);
    this.#instance.exports[STACK].value = stack;
    return true;
  }

  /** The program's memory at this moment; growing replaces it. */
  get memory(): ArrayBuffer {
    return this.#instance.exports.memory.buffer;
  }

  /** Runs to the end and returns the standard output. Throws when the program traps or exits with a status other than 0. */
  run(args: readonly string[], { files = {}, tap }: ProgramInput): string {
    const printed: Uint8Array[] = [];
    const contents = Object.entries(files).map(([name, data]) => [name, new File(data, { readonly: true })] as const);
    this.#wasi.args = args.map((argument) => argument.replaceAll('\0', ' '));
    this.#wasi.fds = [
      new OpenFile(new File([])),
      new ConsoleStdout((bytes) => printed.push(bytes)),
      new ConsoleStdout(() => undefined),
      new PreopenDirectory('/', new Map(contents)),
    ];
    this.#tap = tap;
    const status = this.#wasi.start(this.#instance);
    if (status !== 0) throw new Error(`exit ${status}`);
    return Buffer.concat(printed).toString('utf8');
  }

  /** Calls one of the program's functions; for use inside a tap. */
  call(name: TappedFunction, ...values: readonly number[]): number {
    const found: unknown = (this.#instance.exports as Record<string, unknown>)[name];
    if (typeof found !== 'function') throw new Error(`expected a program that exports ${name}`);
    return Number(found(...values));
  }

  #imports(): Imports {
    const { path_open: pathOpen, ...others } = this.#wasi.wasiImport as Record<
      string,
      (...values: unknown[]) => number
    >;
    return {
      ...others,
      // The library counts characters instead of bytes.
      args_sizes_get: (count: number, size: number) => {
        const view = new DataView(this.memory);
        view.setUint32(count, this.#wasi.args.length, true);
        view.setUint32(size, Buffer.byteLength(`${this.#wasi.args.join('\0')}\0`), true);
        return 0;
      },
      // A constant clock makes the program deterministic.
      clock_time_get: (_clock: number, _precision: bigint, result: number) => {
        new DataView(this.memory).setBigUint64(result, 0n, true);
        return 0;
      },
      path_open: (directory: number, ...values: number[]) =>
        directory === this.#tap?.directory ? this.#tap.onOpen(values) : pathOpen?.(directory, ...values),
    };
  }
}
