import { createHash } from 'node:crypto';
import type { Kernel } from '../../kernel/contract.js';
import * as store from './failure-store.js';

/** Wrong passwords for one account from one address without a delay, because users mistype. */
const FREE_FAILURES = 5;
/**
 * With more failures than this, from all addresses, an account is under attack, and each address gets fewer attempts.
 */
const ATTACKED_AFTER = 20;
const FREE_FAILURES_ATTACKED = 1;
/** The wait doubles from a second up to this. */
const LONGEST_WAIT_MS = 15 * 60_000;
/** Failures are deleted after this time without a new one. */
const MEMORY_MS = 24 * 3600_000;

export interface SignInAttempt {
  readonly email: string;
  /** The client's network (`networkOf`), as seen by the server or its trusted proxy. */
  readonly network: string;
}

/**
 * Delay before the attempt's password is checked, seconds; 0 for none. Unknown accounts are treated the same, so that
 * the delay does not reveal which accounts exist. Account and address count together, so attackers elsewhere cannot
 * lock a user out.
 */
export async function secondsToWait(kernel: Kernel, attempt: SignInAttempt): Promise<number> {
  const now = kernel.clock.now();
  const row = await store.findFailures(kernel.db, subjectOf(attempt));
  if (row === undefined || row.lastAt.getTime() < now - MEMORY_MS) return 0;
  return Math.max(0, Math.ceil((row.blockedUntil.getTime() - now) / 1000));
}

/**
 * Records a wrong password; the address must wait 1 s, 2 s, 4 s, … after its sixth, or after its second while the
 * account is under attack. An address without failures never waits, so the right password always works from there.
 */
export async function noteFailure(kernel: Kernel, attempt: SignInAttempt): Promise<void> {
  const now = kernel.clock.now();
  const failure = {
    now: new Date(now),
    forgottenBefore: new Date(now - MEMORY_MS),
    longestWaitMs: LONGEST_WAIT_MS,
  };
  const everywhere = { email: attempt.email, network: 'everywhere' };
  const ofAccount = await store.addFailure(kernel.db, {
    ...failure,
    subject: subjectOf(everywhere),
    freeFailures: FREE_FAILURES,
  });
  const freeFailures = ofAccount > ATTACKED_AFTER ? FREE_FAILURES_ATTACKED : FREE_FAILURES;
  await store.addFailure(kernel.db, { ...failure, subject: subjectOf(attempt), freeFailures });
}

/** The right password clears the failures of its address. */
export async function forgetFailures(kernel: Kernel, attempt: SignInAttempt): Promise<void> {
  await store.deleteFailures(kernel.db, subjectOf(attempt));
}

function subjectOf({ email, network }: SignInAttempt): Buffer {
  return createHash('sha256').update(`${email.toLowerCase()}\n${network}`).digest();
}
