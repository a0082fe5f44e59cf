import type { Kernel } from '../contract.js';

/**
 * Interval at which a worker renews its claim and checks for cancellation: a cancelled render stops within a second.
 */
const HEARTBEAT_MS = 750;

/** Progress of a job, as shown to users. */
export interface WorkProgress {
  /** 0 to 1. */
  readonly progress: number;
  readonly stage: string;
}

/**
 * Keeps a claim alive. `signal` is aborted when the process must stop, or the work was cancelled or given to another
 * process.
 */
export interface Watch {
  readonly signal: AbortSignal;
  readonly report: (progress: WorkProgress) => void;
  stop(): Promise<void>;
}

/** Options of {@link watchClaim}. */
export interface WatchOptions {
  /** Aborted when the process must stop. */
  readonly outer: AbortSignal;
  /** Writes the progress; false when this process no longer holds the claim. */
  readonly heartbeat: (latest: WorkProgress & { now: Date }) => Promise<boolean>;
  /** Time between heartbeats. */
  readonly everyMs?: number;
}

/** Sends heartbeats until `stop`. */
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
      // The database is unavailable for a moment; when it is back, the next heartbeat shows whether the claim is still
      // held.
      kernel.log.warn({ err: error }, 'progress could not be written');
    }
    sending = undefined;
  };
  const timer = setInterval(() => {
    // One at a time: without a database heartbeats would pile up.
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
