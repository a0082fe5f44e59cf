import { createHash } from 'node:crypto';
import type { Kernel } from '../../kernel/contract.js';
import * as store from './failure-store.js';

/** Wrong passwords of one account from one address that cost no wait: people mistype. */
const FREE_FAILURES = 5;
/** The wait doubles from a second up to this. */
const LONGEST_WAIT_MS = 15 * 60_000;
/** Failures are forgotten when none was added for this long. */
const MEMORY_MS = 24 * 3600_000;

/** Who tries to sign in. */
export interface SignInAttempt {
  readonly email: string;
  /** Network address, as the server or its trusted proxy saw it. */
  readonly address: string;
}

/**
 * How long the attempt has to wait before its password is looked at, seconds; 0 when it may go on. Known and unknown accounts are treated
 * alike, so that waiting tells nobody which there are. Account and address count together: strangers elsewhere cannot lock a person out.
 */
export async function secondsToWait(kernel: Kernel, attempt: SignInAttempt): Promise<number> {
  const now = kernel.clock.now();
  const row = await store.findFailures(kernel.db, subjectOf(attempt));
  if (row === undefined || row.lastAt.getTime() < now - MEMORY_MS) return 0;
  return Math.max(0, Math.ceil((row.blockedUntil.getTime() - now) / 1000));
}

/** Notes a wrong password; the next try has to wait 1 s, 2 s, 4 s, … from the sixth on. */
export async function noteFailure(kernel: Kernel, attempt: SignInAttempt): Promise<void> {
  const now = kernel.clock.now();
  await store.addFailure(kernel.db, {
    subject: subjectOf(attempt),
    now: new Date(now),
    forgottenBefore: new Date(now - MEMORY_MS),
    freeFailures: FREE_FAILURES,
    longestWaitMs: LONGEST_WAIT_MS,
  });
}

/** The right password clears the slate. */
export async function forgetFailures(kernel: Kernel, attempt: SignInAttempt): Promise<void> {
  await store.deleteFailures(kernel.db, subjectOf(attempt));
}

function subjectOf({ email, address }: SignInAttempt): Buffer {
  return createHash('sha256').update(`${email.toLowerCase()}\n${address}`).digest();
}
