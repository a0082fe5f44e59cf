import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ApiError } from '../../kernel/http/error.js';
import { RenderProblem } from './contract.js';
import type {
  FromPreview,
  InspectionOrder,
  MediaKind,
  PreviewMedia,
  PreviewOrder,
  ToPreview,
} from './preview-messages.js';

// A preview process:
//
//   started ──'ready'──▶ idle ──order──▶ busy ──picture or problem──▶ idle ──idle too long──▶ killed
//                         └───────────────┴── crash, deadline, memory, close ──▶ gone; its order is tried once more

/** Pictures and clips of the order's document, as the server fetches them. */
export interface PreviewAssets {
  picture(src: string): Promise<Uint8Array>;
  file(src: string): Promise<string>;
}

/** How many processes there are, and when they go. */
export interface PreviewLimits {
  readonly processes: number;
  /** Orders that wait at most; beyond it callers are told to come again. */
  readonly waiting: number;
  /** Milliseconds that an order may take before its process is killed. */
  readonly orderMs: number;
  /** Milliseconds without an order after which a process is ended. */
  readonly idleMs: number;
  /** Resident memory above which a process is not used again, megabytes. */
  readonly memoryMb: number;
}

/** Measured: 100 to 250 MB after some minutes of previews at 720p; an 8K picture takes 400 more while it is decoded. */
const LIMITS: PreviewLimits = { processes: 2, waiting: 16, orderMs: 15_000, idleMs: 120_000, memoryMb: 900 };

/** The JavaScript heap; pictures lie outside of it. */
const HEAP_MB = 384;

/** Tries of an order: a process may have been killed by the order before it, but not twice. */
const TRIES = 2;

type Order = Omit<PreviewOrder, 'id'> | Omit<InspectionOrder, 'id'>;

interface Task {
  readonly order: Order;
  readonly assets: PreviewAssets;
  readonly resolve: (picture: Uint8Array | undefined) => void;
  readonly reject: (error: Error) => void;
  tries: number;
}

/** A few warm processes that paint frames. A crash in one costs the order that caused it, nothing else. */
export interface PreviewPool {
  /**
   * Paints a frame as WebP. Throws {@link RenderProblem} for what is wrong with the document, an `ApiError` when too many
   * wait, and the signal's reason.
   */
  paint(order: Omit<PreviewOrder, 'id' | 'kind'>, assets: PreviewAssets, signal: AbortSignal): Promise<Uint8Array>;
  /** Opens a medium. Throws {@link RenderProblem} when it cannot be used, and as `paint`. */
  inspect(what: MediaKind, src: string, assets: PreviewAssets, signal: AbortSignal): Promise<void>;
  /** Ids of the processes that run. */
  pids(): number[];
  /** Kills the processes; orders under way are refused. Idempotent. */
  close(): Promise<void>;
}

/** Processes start with the first order that needs them. @param program the compiled program, for tests. */
export function createPreviewPool(
  limits: Partial<PreviewLimits> = {},
  program = programPath(import.meta.url),
): PreviewPool {
  const bounds = { ...LIMITS, ...limits };
  const painters = new Set<Painter>();
  const waiting: Task[] = [];
  let closed = false;

  const dispatch = (): void => {
    while (waiting.length > 0 && !closed) {
      let painter = [...painters].find((candidate) => candidate.isFree);
      if (painter === undefined) {
        if (painters.size >= bounds.processes) return;
        painter = new Painter(program, bounds, { onFree: dispatch, onGone: gone });
        painters.add(painter);
      }
      const task = waiting.shift();
      if (task !== undefined) painter.give(task);
    }
  };
  const gone = (painter: Painter, task: Task | undefined): void => {
    painters.delete(painter);
    if (task !== undefined) {
      task.tries++;
      if (closed) task.reject(new Error('the server is stopping'));
      else if (task.tries < TRIES) waiting.unshift(task);
      else
        task.reject(
          new RenderProblem([{ field: 'slide', message: 'opening or drawing it takes too long or crashes' }]),
        );
    }
    dispatch();
  };

  const perform = async (order: Order, assets: PreviewAssets, signal: AbortSignal): Promise<Uint8Array | undefined> => {
    signal.throwIfAborted();
    if (closed) throw new Error('the server is stopping');
    if (waiting.length >= bounds.waiting) throw new ApiError('previewsBusy', {}, { retryAfterSeconds: 1 });
    return new Promise<Uint8Array | undefined>((resolve, reject) => {
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          signal.removeEventListener('abort', onAbort);
          settle(value);
        };
      const task: Task = { order, assets, resolve: settled(resolve), reject: settled(reject), tries: 0 };
      // An order under way is let finish: its process is worth more than the rest of its work.
      const onAbort = (): void => {
        const at = waiting.indexOf(task);
        if (at >= 0) waiting.splice(at, 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.push(task);
      dispatch();
    });
  };

  return {
    async paint(order, assets, signal) {
      const picture = await perform({ kind: 'paint', ...order }, assets, signal);
      if (picture === undefined) throw new Error('expected a picture from a preview process');
      return picture;
    },
    async inspect(what, src, assets, signal) {
      await perform({ kind: 'inspect', what, src }, assets, signal);
    },
    pids: () => [...painters].flatMap(({ pid }) => (pid === undefined ? [] : [pid])),
    async close() {
      closed = true;
      for (const task of waiting.splice(0)) task.reject(new Error('the server is stopping'));
      await Promise.all([...painters].map((painter) => painter.end()));
    },
  };
}

/** One process and the order that it works on. */
class Painter {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  #task: Task | undefined;
  #ids = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    program: string,
    private readonly limits: PreviewLimits,
    private readonly on: { onFree: () => void; onGone: (painter: Painter, task: Task | undefined) => void },
  ) {
    this.#child = fork(program, [], {
      // No environment, so none of the server's secrets either.
      env: {},
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#exited = new Promise((resolve) => {
      const leave = (): void => {
        clearTimeout(this.#timer);
        const task = this.#task;
        this.#task = undefined;
        resolve();
        this.on.onGone(this, task);
      };
      this.#child.once('exit', leave);
      // Could not even start: there is no exit then.
      this.#child.once('error', () => {
        if (this.#child.pid === undefined) leave();
      });
    });
    this.#child.on('message', (message) => this.#hear(message as FromPreview));
  }

  get isFree(): boolean {
    return this.#task === undefined && this.#child.connected;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  give(task: Task): void {
    this.#task = task;
    this.#setTimer(this.limits.orderMs);
    this.#send({ id: ++this.#ids, ...task.order });
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #hear(message: FromPreview): void {
    if (message.kind === 'ready') return;
    if (message.kind === 'ask') {
      void this.#fetch(message.ask, message.what, message.src);
      return;
    }
    const task = this.#task;
    if (task === undefined || message.id !== this.#ids) return;
    if (message.kind === 'painted') task.resolve(message.picture);
    else if (message.kind === 'inspected') task.resolve(undefined);
    else task.reject(new RenderProblem(message.problems));
    this.#task = undefined;
    this.#setTimer(this.limits.idleMs);
    void this.#weigh();
    this.on.onFree();
  }

  async #fetch(ask: number, what: 'picture' | 'file', src: string): Promise<void> {
    const assets = this.#task?.assets;
    const answer: PreviewMedia = await (async () => {
      if (assets === undefined) throw new Error('the preview is over');
      return what === 'picture'
        ? { kind: 'media' as const, ask, bytes: await assets.picture(src) }
        : { kind: 'media' as const, ask, file: await assets.file(src) };
    })().catch((error: unknown) => ({ kind: 'media' as const, ask, refused: messageOf(error) }));
    this.#send(answer);
  }

  /** Native libraries give memory back reluctantly: a process that has grown is replaced by the next. */
  async #weigh(): Promise<void> {
    if ((await residentMb(this.pid)) > this.limits.memoryMb && this.#task === undefined) await this.end();
  }

  #setTimer(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.end(), ms);
    this.#timer.unref();
  }

  #send(message: ToPreview): void {
    // A process that has just died has no channel; its exit says all.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Resident memory of a process; 0 where it cannot be known. */
async function residentMb(pid: number | undefined): Promise<number> {
  if (pid === undefined || process.platform !== 'linux') return 0;
  // Field 2 of proc_pid_statm(5), in pages.
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return (Number(statm.split(' ')[1] ?? 0) * 4096) / 1e6;
}

/** The compiled program also when this module itself runs from its source, as in tests. */
function programPath(base: string): string {
  const path = fileURLToPath(new URL('./preview-process.js', base));
  return base.endsWith('.ts') ? path.replace('/src/features/', '/dist/features/') : path;
}
