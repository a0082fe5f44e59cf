import type { Kernel } from '../contract.js';

/** How often a worker says that it lives and asks whether its work was cancelled: a cancelled render stops within a second. */
const HEARTBEAT_MS = 750;

/** How far a piece of work is. */
export interface WorkProgress {
  /** 0 to 1. */
  readonly progress: number;
  readonly stage: string;
}

/** Keeps a claim alive. `signal` is raised when the process is told to stop, or the work was cancelled or given away. */
export interface Watch {
  readonly signal: AbortSignal;
  readonly report: (progress: WorkProgress) => void;
  stop(): Promise<void>;
}

/** What is watched. */
export interface WatchOptions {
  /** Raised when the process is told to stop. */
  readonly outer: AbortSignal;
  /** Writes the progress down; false when the work is no longer this process's. */
  readonly heartbeat: (latest: WorkProgress & { now: Date }) => Promise<boolean>;
  /** Time between heartbeats. */
  readonly everyMs?: number;
}

/** Sends heartbeats until it is stopped. */
export function watchClaim(
  kernel: Pick<Kernel, 'clock' | 'log'>,
  { outer, heartbeat, everyMs = HEARTBEAT_MS }: WatchOptions,
): Watch {
  const lost = new AbortController();
  let latest: WorkProgress = { progress: 0, stage: 'starting' };
  let sending: Promise<void> | undefined;
  const next = async () => {
    try {
      const isOurs = await heartbeat({ ...latest, now: new Date(kernel.clock.now()) });
      if (!isOurs) lost.abort(new Error('the work was cancelled or given to another worker'));
    } catch (error) {
      // The database is away for a moment; the claim is judged when it is back.
      kernel.log.warn({ err: error }, 'progress could not be written');
    }
    sending = undefined;
  };
  const timer = setInterval(() => {
    // One at a time: while the database is away heartbeats would pile up.
    sending ??= next();
  }, everyMs);
  return {
    signal: AbortSignal.any([outer, lost.signal]),
    report: ({ progress, stage }) => {
      latest = { progress: Math.min(1, Math.max(0, progress)), stage };
    },
    async stop() {
      clearInterval(timer);
      await sending;
    },
  };
}
