import { ApiError } from './errors.js';

/** Limits for running and waiting work. */
export interface SemaphoreLimits {
  /** Maximum amount of work running at once. */
  readonly atOnce: number;
  /** Maximum for one workspace. Below `atOnce`, a slot is always left for another workspace. */
  readonly perWorkspace: number;
  /** Maximum amount of waiting work of one workspace; more is refused. */
  readonly waitingPerWorkspace: number;
  /** Maximum wait in milliseconds before work is refused, so that no request is held for long. */
  readonly waitMs: number;
  /**
   * Work on the event loop starts in portions, so that a burst does not delay everything else. Default: all at once.
   */
  readonly pace?: Pace;
}

/** How work starts on the event loop. */
export interface Pace {
  /** Maximum starts in one turn of the loop. */
  readonly startsPerTurn: number;
  /** Whether nothing may start now; asked in every turn while work waits. */
  readonly isHeld: () => boolean;
}

interface Line {
  running: number;
  readonly waiting: Set<() => void>;
}

/** Seconds after which a refused caller should retry. */
const RETRY_AFTER_SECONDS = 2;

/**
 * A semaphore that workspaces share fairly: waiting workspaces are served round-robin, regardless of the length of
 * their queues. Within a workspace the order is first in, first out.
 */
export class FairSemaphore {
  /** Workspaces with running or waiting work; least recently served first. */
  readonly #lines = new Map<string, Line>();
  #running = 0;
  #waiting = 0;
  /** Starts in this turn of the event loop; `undefined` when no turn is scheduled. */
  #started: number | undefined;

  /** @param refuse creates the error for refused work; default: a 429 `workspaceBusy`. */
  constructor(
    private readonly limits: SemaphoreLimits,
    private readonly refuse: () => Error = busy,
  ) {}

  /** Amount of running work. */
  get running(): number {
    return this.#running;
  }

  /** Amount of waiting work. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Runs `work` in a slot. Refuses it when too much work of the workspace waits or the wait was too long, and throws
   * the signal's reason when it aborts during the wait; running work is not interrupted.
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

  /**
   * As {@link run}, for work that is not a function: the caller calls the returned function once, when the work has
   * ended.
   */
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

  /** Waits until {@link #serve} grants a slot. */
  #wait(workspaceId: string, line: Line, signal: AbortSignal | undefined): Promise<void> {
    const { waitingPerWorkspace, waitMs } = this.limits;
    if (line.waiting.size >= waitingPerWorkspace) throw this.refuse();
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        line.waiting.delete(start);
        this.#waiting--;
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
      this.#waiting++;
    });
  }

  /** Grants free slots to waiting workspaces, least recently served first. */
  #serve(): void {
    if (this.#waiting === 0) return;
    for (const [workspaceId, line] of [...this.#lines]) {
      const [start] = line.waiting;
      if (start !== undefined && this.#begin(workspaceId, line)) start();
    }
  }

  /** Takes a slot; false when the workspace cannot have one. */
  #begin(workspaceId: string, line: Line): boolean {
    if (this.#running >= this.limits.atOnce || line.running >= this.limits.perWorkspace) return false;
    if (this.limits.pace !== undefined && !this.#isTimely(this.limits.pace)) return false;
    this.#running++;
    line.running++;
    this.#lines.delete(workspaceId);
    this.#lines.set(workspaceId, line);
    return true;
  }

  /** Counts a start in this turn; false when the turn is full, and waiting work is served in the next one. */
  #isTimely(pace: Pace): boolean {
    if (this.#started === undefined) {
      this.#started = 0;
      setImmediate(() => this.#turn());
    }
    if (this.#started >= pace.startsPerTurn || pace.isHeld()) return false;
    this.#started++;
    return true;
  }

  #turn(): void {
    this.#started = undefined;
    // One round serves each workspace once.
    for (let before: number | undefined = -1; before !== this.#started; ) {
      before = this.#started;
      this.#serve();
    }
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
