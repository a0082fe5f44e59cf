import { invalidFields } from '../../kernel/http/error.js';
import { type DisposableLimits, runDisposable } from './disposable.js';
import type { DisposableJob } from './disposable-process.js';
import { createTurnstile } from './turnstile.js';

/** Looks into uploaded files, each in a process of its own. */
export interface Inspector {
  /** Throws a 400 on `file` when the file is refused or ends its process. */
  inspect<T>(job: DisposableJob, signal?: AbortSignal): Promise<T>;
}

/** Processes at one time: a burst of uploads waits here instead of filling the memory. */
const AT_ONCE = 2;

/** Generous for any honest file: a 100-megapixel picture takes about 5 s. */
const LIMITS: DisposableLimits = { seconds: 45, memoryMb: 1500 };

const DEATHS = {
  crash: 'is damaged: it could not be read',
  time: `takes longer than ${LIMITS.seconds} s to read`,
  memory: 'takes too much memory to read',
} as const;

/** Makes the inspector of one API process. */
export function createInspector(): Inspector {
  const turnstile = createTurnstile(AT_ONCE);
  return {
    inspect<T>(job: DisposableJob, signal?: AbortSignal) {
      return turnstile(async () => {
        const outcome = await runDisposable<T>(job, { ...LIMITS, ...(signal === undefined ? {} : { signal }) });
        if (outcome.kind === 'done') return outcome.value;
        const message = outcome.kind === 'refused' ? `is not accepted: ${outcome.message}` : DEATHS[outcome.reason];
        throw invalidFields([{ field: 'file', message }]);
      });
    },
  };
}
