import { ApiError } from '../http/error.js';

/** How much runs and waits. */
export interface TurnLimits {
  /** Pieces of work that run at once. */
  readonly atOnce: number;
  /** Of these, pieces of one workspace. Below `atOnce`, a slot is always left for another workspace. */
  readonly perWorkspace: number;
  /** Pieces of one workspace that wait; more are refused with 429. */
  readonly waitingPerWorkspace: number;
  /** Milliseconds that a piece waits at most; then it is refused with 429, so that no request is held for long. */
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
export class Turns {
  /** Workspaces that run or wait; the one that was served longest ago comes first. */
  readonly #lines = new Map<string, Line>();
  #running = 0;

  constructor(private readonly limits: TurnLimits) {}

  /**
   * Runs `work` when it is the workspace's turn. Throws a 429 when too much of the workspace waits already or the wait was too
   * long, and the signal's reason when it is aborted while it waits; work that runs is not interrupted.
   */
  async run<T>(workspaceId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const line = this.#lines.get(workspaceId) ?? { running: 0, waiting: new Set() };
    this.#lines.set(workspaceId, line);
    if (this.#hasRoom(line)) this.#enter(workspaceId, line);
    else await this.#wait(workspaceId, line, signal);
    try {
      return await work();
    } finally {
      this.#running--;
      line.running--;
      this.#tidy(workspaceId, line);
      this.#serve();
    }
  }

  /** Waits until {@link #serve} has given this piece its slot. */
  #wait(workspaceId: string, line: Line, signal: AbortSignal | undefined): Promise<void> {
    const { waitingPerWorkspace, waitMs } = this.limits;
    if (line.waiting.size >= waitingPerWorkspace) throw busy();
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
        reject(busy());
      }, waitMs);
      signal?.addEventListener('abort', abort, { once: true });
      line.waiting.add(start);
    });
  }

  /** Gives free slots to workspaces that wait, in the order in which they were last served. */
  #serve(): void {
    for (const [workspaceId, line] of [...this.#lines]) {
      const [start] = line.waiting;
      if (start === undefined || !this.#hasRoom(line)) continue;
      this.#enter(workspaceId, line);
      start();
    }
  }

  #hasRoom({ running }: Line): boolean {
    return this.#running < this.limits.atOnce && running < this.limits.perWorkspace;
  }

  #enter(workspaceId: string, line: Line): void {
    this.#running++;
    line.running++;
    this.#lines.delete(workspaceId);
    this.#lines.set(workspaceId, line);
  }

  #tidy(workspaceId: string, line: Line): void {
    if (line.running === 0 && line.waiting.size === 0) this.#lines.delete(workspaceId);
  }
}

function busy(): ApiError {
  return new ApiError('workspaceBusy', { seconds: RETRY_AFTER_SECONDS }, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
