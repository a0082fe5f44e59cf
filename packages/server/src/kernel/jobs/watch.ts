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

/** A claim that is renewed; `signal` is aborted when it is lost or the process must stop. */
export type HeldClaim = Pick<Watch, 'signal' | 'stop'>;

/** Renews a claim until `stop`, which waits for the heartbeat under way. */
export function holdClaim(options: {
  /** Aborted when the process must stop. */
  readonly outer: AbortSignal;
  /** False when this process no longer holds the claim. */
  readonly renew: () => Promise<boolean>;
  /** Time between heartbeats. */
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
}): HeldClaim {
  const { outer, renew, everyMs, onError } = options;
  const lost = new AbortController();
  let sending: Promise<void> | undefined;
  const next = async () => {
    try {
      if (!(await renew())) lost.abort(new Error('the work was cancelled or given to another worker'));
    } catch (error) {
      // The database is unavailable for a moment; when it is back, the next heartbeat shows whether the claim is still
      // held.
      onError(error);
    }
    sending = undefined;
  };
  const timer = setInterval(() => {
    // One at a time: without a database heartbeats would pile up.
    sending ??= next();
  }, everyMs);
  return {
    signal: AbortSignal.any([outer, lost.signal]),
    async stop() {
      clearInterval(timer);
      await sending;
    },
  };
}

/** Sends heartbeats until `stop`. */
export function watchClaim(
  kernel: Pick<Kernel, 'clock' | 'log'>,
  { outer, heartbeat, everyMs = HEARTBEAT_MS }: WatchOptions,
): Watch {
  let latest: WorkProgress = { progress: 0, stage: 'starting' };
  const held = holdClaim({
    ...{ outer, everyMs },
    renew: () => heartbeat({ ...latest, now: new Date(kernel.clock.now()) }),
    onError: (error) => kernel.log.warn({ err: error }, 'progress could not be written'),
  });
  return {
    ...held,
    report: ({ progress, stage }) => {
      latest = { progress: Math.min(1, Math.max(0, progress)), stage };
    },
  };
}
