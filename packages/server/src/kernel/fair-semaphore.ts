import { ApiError } from './http/error.js';

/** How much runs and waits. */
export interface SemaphoreLimits {
  /** Pieces of work that run at once. */
  readonly atOnce: number;
  /** Of these, pieces of one workspace. Below `atOnce`, a slot is always left for another workspace. */
  readonly perWorkspace: number;
  /** Pieces of one workspace that wait; more are refused. */
  readonly waitingPerWorkspace: number;
  /** Milliseconds that a piece waits at most; then it is refused, so that no request is held for long. */
  readonly waitMs: number;
}

interface Line {
  running: number;
  readonly waiting: Set<() => void>;
}

/** After so many seconds a refused caller should try again. */
const RETRY_AFTER_SECONDS = 2;

/**
 * A semaphore that workspaces share fairly: those that wait take turns, one piece of work each, whatever the length of
 * their lines. Order within a workspace is first in, first out.
 */
export class FairSemaphore {
  /** Workspaces that run or wait; the one that was served longest ago comes first. */
  readonly #lines = new Map<string, Line>();
  #running = 0;

  /** @param refuse makes the error of a piece that is refused; a 429 `workspaceBusy` when absent. */
  constructor(
    private readonly limits: SemaphoreLimits,
    private readonly refuse: () => Error = busy,
  ) {}

  /** Pieces that run. */
  get running(): number {
    return this.#running;
  }

  /** Pieces that wait. */
  get waiting(): number {
    let waiting = 0;
    for (const line of this.#lines.values()) waiting += line.waiting.size;
    return waiting;
  }

  /**
   * Runs `work` when it is the workspace's turn. Refuses it when too much of the workspace waits already or the wait was too
   * long, and throws the signal's reason when it is aborted while it waits; work that runs is not interrupted.
   */
  async run<T>(workspaceId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const line = this.#lineOf(workspaceId, signal);
    if (!this.#begin(workspaceId, line)) await this.#wait(workspaceId, line, signal);
    try {
      return await work();
    } finally {
      this.#end(workspaceId, line);
    }
  }

  /** As {@link run}, for work that does not end in a function: the caller calls what it gets, once, when the work has ended. */
  async enter(workspaceId: string, signal?: AbortSignal): Promise<() => void> {
    const line = this.#lineOf(workspaceId, signal);
    if (!this.#begin(workspaceId, line)) await this.#wait(workspaceId, line, signal);
    return () => this.#end(workspaceId, line);
  }

  #lineOf(workspaceId: string, signal: AbortSignal | undefined): Line {
    signal?.throwIfAborted();
    const line = this.#lines.get(workspaceId) ?? { running: 0, waiting: new Set() };
    this.#lines.set(workspaceId, line);
    return line;
  }

  /** Waits until {@link #serve} has given this piece its slot. */
  #wait(workspaceId: string, line: Line, signal: AbortSignal | undefined): Promise<void> {
    const { waitingPerWorkspace, waitMs } = this.limits;
    if (line.waiting.size >= waitingPerWorkspace) throw this.refuse();
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        line.waiting.delete(start);
        this.#tidy(workspaceId, line);
      };
      const start = (): void => {
        leave();
        resolve();
      };
      const abort = (): void => {
        leave();
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        leave();
        reject(this.refuse());
      }, waitMs);
      signal?.addEventListener('abort', abort, { once: true });
      line.waiting.add(start);
    });
  }

  /** Gives free slots to workspaces that wait, in the order in which they were last served. */
  #serve(): void {
    for (const [workspaceId, line] of [...this.#lines]) {
      const [start] = line.waiting;
      if (start !== undefined && this.#begin(workspaceId, line)) start();
    }
  }

  /** Takes a slot; false when there is none for the workspace. */
  #begin(workspaceId: string, line: Line): boolean {
    if (this.#running >= this.limits.atOnce || line.running >= this.limits.perWorkspace) return false;
    this.#running++;
    line.running++;
    this.#lines.delete(workspaceId);
    this.#lines.set(workspaceId, line);
    return true;
  }

  #end(workspaceId: string, line: Line): void {
    this.#running--;
    line.running--;
    this.#tidy(workspaceId, line);
    this.#serve();
  }

  #tidy(workspaceId: string, line: Line): void {
    if (line.running === 0 && line.waiting.size === 0) this.#lines.delete(workspaceId);
  }
}

function busy(): ApiError {
  return new ApiError('workspaceBusy', { seconds: RETRY_AFTER_SECONDS }, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
