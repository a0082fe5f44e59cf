import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { orAborted } from '@figurehead/media/basic';
import workerpool, { type Pool } from 'workerpool';
import { overloaded } from '../errors.js';
import { FairSemaphore, type SemaphoreLimits } from '../fair-semaphore.js';
import { type Begin, type Reply, WORK } from './process-program.js';

/** How a job ended. `refused`: the program rejected the file; `died`: a crash, or a limit was reached. */
export type ProcessOutcome<T, Refusal = string> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'died'; readonly reason: 'crash' | 'time' | 'memory'; readonly cause?: unknown };

/** What became of a file that ended its process, for the user who sent it: completes "The file …". @param seconds the limit of the job. */
export function deathOf(reason: 'crash' | 'time' | 'memory', seconds: number): string {
  if (reason === 'time') return `takes longer than ${seconds} s to read`;
  return reason === 'memory' ? 'takes too much memory to read' : 'is damaged: it could not be read';
}

export interface ProcessPoolOptions {
  /** Compiled module that calls `serveProcess`. */
  readonly program: URL;
  /** Maximum number of processes; they start on demand. */
  readonly processes: number;
  /** JavaScript heap of each, megabytes; pictures and sound are outside of it. */
  readonly heapMb: number;
  /** Resident memory at which a process is killed, also during a job, megabytes. */
  readonly memoryMb: number;
  /** A process is replaced after so many jobs, or when it uses more resident memory than this after a job. */
  readonly recycle: { readonly jobs: number; readonly memoryMb: number };
  /** Milliseconds without a job after which the processes end. */
  readonly idleMs: number;
  /** Time for starting a process, seconds; default: 60. Alone it takes about one. */
  readonly startSeconds?: number;
  /** How workspaces share the processes. */
  readonly turns: Omit<SemaphoreLimits, 'atOnce'>;
}

/** Limits of one job, and its workspace. */
export interface JobLimits {
  readonly workspaceId: string;
  /** Maximum duration from the moment at which the process begins the job. Its start has its own limit. */
  readonly seconds: number;
  readonly signal?: AbortSignal;
  /**
   * Effect of an abort on a running job: kills its process (default), or lets it finish when warm processes are more
   * valuable.
   */
  readonly onAbort?: 'kill' | 'finish';
}

/** Default of {@link ProcessPoolOptions.startSeconds}, for a machine that is busy with much else. */
const START_SECONDS = 60;

/** Seconds after which a caller should retry when no process could be started in time. */
const RETRY_AFTER_SECONDS = 5;

/** Interval at which a process's memory is checked during a job. */
const WATCH_MS = 100;

/** Time for ending all processes, ms. */
const END_MS = 500;

/**
 * Warm processes for untrusted files: a file that crashes, hangs or bloats a decoder ends only its process. A process
 * that refused or failed a job is not reused. The processes get no environment but the place of fonts, and therefore no secrets of the server.
 * Workspaces share them fairly.
 */
export class ProcessPool {
  readonly #semaphore: FairSemaphore;
  readonly #stops = new Set<(reason: Error) => void>();
  /** Number of finished jobs by process id. */
  readonly #jobs = new Map<number, number>();
  #pool: Pool | undefined;
  #idle: NodeJS.Timeout | undefined;
  #running = 0;
  #closed = false;

  constructor(private readonly options: ProcessPoolOptions) {
    this.#semaphore = new FairSemaphore({ ...options.turns, atOnce: options.processes });
  }

  /**
   * Runs one job.
   * @param job structured-cloneable.
   * @throws a 429 of {@link FairSemaphore}, a 429 when no process starts in time, the signal's reason on abort, and an error when the pool is closed.
   */
  async run<T, Refusal = string>(job: object, limits: JobLimits): Promise<ProcessOutcome<T, Refusal>> {
    const stop = new AbortController();
    // Not a listener for each job, because a caller may run dozens of jobs with one signal.
    const signal = limits.signal === undefined ? stop.signal : AbortSignal.any([limits.signal, stop.signal]);
    const close = (reason: Error): void => stop.abort(reason);
    if (this.#closed) throw new Error('the server is stopping');
    limits.signal?.throwIfAborted();
    this.#stops.add(close);
    try {
      const turn = this.#semaphore.run(
        limits.workspaceId,
        () => this.#perform<T, Refusal>(job, { ...limits, signal }),
        signal,
      );
      return await (limits.onAbort === 'finish' ? orAborted(turn, signal) : turn);
    } finally {
      this.#stops.delete(close);
    }
  }

  /** Ids of the running processes that have done a job. */
  pids(): number[] {
    return [...this.#jobs.keys()];
  }

  /** Ends the processes; running and waiting jobs are rejected. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const stop of this.#stops) stop(new Error('the server is stopping'));
    await this.#end();
  }

  async #perform<T, Refusal>(
    job: object,
    limits: JobLimits & { readonly signal: AbortSignal },
  ): Promise<ProcessOutcome<T, Refusal>> {
    clearTimeout(this.#idle);
    this.#running++;
    try {
      // A job may be assigned to a process of the pool that has just ended; it is retried with the next, and then with
      // a new one.
      for (let start = 0; ; start++) {
        const { outcome, hasBegun } = await this.#attempt<T, Refusal>(job, limits);
        if (outcome.kind !== 'died' || hasBegun) return outcome;
        // Nothing is known about the file yet.
        if (outcome.reason === 'time') throw overloaded(RETRY_AFTER_SECONDS);
        if (start > this.options.processes) return outcome;
      }
    } finally {
      this.#running--;
      if (this.#running === 0) this.#idle = setTimeout(() => void this.#end(), this.options.idleMs).unref();
    }
  }

  async #attempt<T, Refusal>(
    job: object,
    { seconds, signal, onAbort = 'kill' }: JobLimits & { readonly signal: AbortSignal },
  ): Promise<{ outcome: ProcessOutcome<T, Refusal>; hasBegun: boolean }> {
    let pid: number | undefined;
    let stopped: 'time' | 'memory' | undefined;
    const stop = (reason: 'time' | 'memory'): void => {
      stopped = reason;
      task.cancel();
    };
    const limit = (of: number): NodeJS.Timeout => setTimeout(() => stop('time'), of * 1000);
    const on = (event: Partial<Begin>): void => {
      if (event.pid === undefined) return;
      pid = event.pid;
      clearTimeout(timer);
      timer = limit(seconds);
      this.#jobs.set(pid, this.#jobs.get(pid) ?? 0);
    };
    this.#pool ??= openPool(this.options);
    const task = this.#pool.exec(WORK, [job], { on });
    let timer = limit(this.options.startSeconds ?? START_SECONDS);
    const abort = (): void => void task.cancel();
    if (onAbort === 'kill') signal.addEventListener('abort', abort, { once: true });
    const watch = setInterval(() => {
      void residentMb(pid).then((used) => {
        if (used > this.options.memoryMb) stop('memory');
      });
    }, WATCH_MS);
    try {
      const reply = (await task) as Reply;
      if ('refused' in reply) {
        this.#discard(pid);
        return { outcome: { kind: 'refused', refusal: reply.refused as Refusal }, hasBegun: true };
      }
      await this.#recycle(pid);
      return { outcome: { kind: 'done', value: reply.value as T }, hasBegun: true };
    } catch (cause) {
      this.#discard(pid);
      if (onAbort === 'kill') signal.throwIfAborted();
      return { outcome: { kind: 'died', reason: stopped ?? 'crash', cause }, hasBegun: pid !== undefined };
    } finally {
      clearInterval(watch);
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  /** Counts a job, and ends a process that reached its limit or has grown: native libraries rarely return memory. */
  async #recycle(pid: number | undefined): Promise<void> {
    if (pid === undefined) return;
    const done = (this.#jobs.get(pid) ?? 0) + 1;
    const { jobs, memoryMb } = this.options.recycle;
    if (done >= jobs || (await residentMb(pid)) > memoryMb) this.#discard(pid);
    else this.#jobs.set(pid, done);
  }

  /** Kills a process immediately; the pool replaces it with the next job. */
  #discard(pid: number | undefined): void {
    if (pid === undefined || !this.#jobs.delete(pid)) return;
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // It has already ended.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const pool = this.#pool;
    this.#pool = undefined;
    for (const pid of this.#jobs.keys()) this.#discard(pid);
    if (pool === undefined) return;
    // The pool would wait forever for the exit of a process that has already ended.
    await Promise.race([pool.terminate(true), delay(END_MS, undefined, { ref: false })]);
  }
}

function openPool({ program, processes, heapMb }: ProcessPoolOptions): Pool {
  return workerpool.pool(fileURLToPath(program), {
    workerType: 'process',
    maxWorkers: processes,
    // These processes do not end on request, so they are killed.
    workerTerminateTimeout: 1,
    // Codecs write to stderr about every damaged packet. The pool reads it, and the output is ignored.
    emitStdStreams: true,
    forkOpts: { env: fontEnvironment(), execArgv: [`--max-old-space-size=${heapMb}`], serialization: 'advanced' },
  });
}

/** What the libraries of text read. */
function fontEnvironment(): Record<string, string> {
  const { FONTCONFIG_FILE: file, PANGOCAIRO_BACKEND: backend } = process.env;
  return file === undefined || backend === undefined ? {} : { FONTCONFIG_FILE: file, PANGOCAIRO_BACKEND: backend };
}

/** Resident memory of a process; 0 when unknown. */
async function residentMb(pid: number | undefined): Promise<number> {
  if (pid === undefined || process.platform !== 'linux') return 0;
  // Field 2 of proc_pid_statm(5), in pages.
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return (Number(statm.split(' ')[1] ?? 0) * 4096) / 1e6;
}
