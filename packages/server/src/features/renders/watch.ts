import type { Kernel } from '../../kernel/contract.js';
import type { RenderProgress } from './contract.js';

/** How often a worker says that it lives and asks whether it was cancelled: a cancelled render stops within a second. */
const BEAT_MS = 750;

/** Keeps a claim alive. `signal` is raised when the process is told to stop, or the render was cancelled or given away. */
export interface Watch {
  readonly signal: AbortSignal;
  readonly report: (progress: RenderProgress) => void;
  stop(): Promise<void>;
}

/** @param options.beat writes the progress down; false when the work is no longer ours. */
export function watchClaim(
  kernel: Kernel,
  { outer, beat }: { outer: AbortSignal; beat: (latest: RenderProgress & { now: Date }) => Promise<boolean> },
): Watch {
  const lost = new AbortController();
  let latest: RenderProgress = { progress: 0, stage: 'starting' };
  let beating: Promise<void> | undefined;
  const next = async () => {
    try {
      const isOurs = await beat({ ...latest, now: new Date(kernel.clock.now()) });
      if (!isOurs) lost.abort(new Error('the render was cancelled or given to another worker'));
    } catch (error) {
      // The database is away for a moment; the claim is judged when it is back.
      kernel.log.warn({ err: error }, 'the progress of a render could not be written');
    }
    beating = undefined;
  };
  const timer = setInterval(() => {
    // One at a time: while the database is away beats would pile up.
    beating ??= next();
  }, BEAT_MS);
  return {
    signal: AbortSignal.any([outer, lost.signal]),
    report: ({ progress, stage }) => {
      latest = { progress: Math.min(1, Math.max(0, progress)), stage };
    },
    async stop() {
      clearInterval(timer);
      await beating;
    },
  };
}
