import { createHash } from 'node:crypto';
import type { Kernel } from '../../kernel/contract.js';
import * as store from './failure-store.js';

/** Wrong passwords of one account from one address that cost no wait: people mistype. */
const FREE_FAILURES = 5;
/** With more failures than this, from wherever, an account is under attack: an address then has fewer. */
const ATTACKED_AFTER = 20;
const FREE_FAILURES_ATTACKED = 1;
/** The wait doubles from a second up to this. */
const LONGEST_WAIT_MS = 15 * 60_000;
/** Failures are forgotten when none was added for this long. */
const MEMORY_MS = 24 * 3600_000;

/** Who tries to sign in. */
export interface SignInAttempt {
  readonly email: string;
  /** What counts as one address (`networkOf`), as the server or its trusted proxy saw it. */
  readonly network: string;
}

/**
 * How long the attempt has to wait before its password is looked at, seconds; 0 when it may go on. Known and unknown accounts are treated
 * alike, so that waiting does not tell which there are. Account and address count together: strangers elsewhere cannot lock a person out.
 */
export async function secondsToWait(kernel: Kernel, attempt: SignInAttempt): Promise<number> {
  const now = kernel.clock.now();
  const row = await store.findFailures(kernel.db, subjectOf(attempt));
  if (row === undefined || row.lastAt.getTime() < now - MEMORY_MS) return 0;
  return Math.max(0, Math.ceil((row.blockedUntil.getTime() - now) / 1000));
}

/**
 * Notes a wrong password; the address has to wait 1 s, 2 s, 4 s, … after its sixth, or its second while the account is under attack. An address
 * without failures never waits, so that the right password always gets in from there.
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

/** The right password clears the slate of its address. */
export async function forgetFailures(kernel: Kernel, attempt: SignInAttempt): Promise<void> {
  await store.deleteFailures(kernel.db, subjectOf(attempt));
}

function subjectOf({ email, network }: SignInAttempt): Buffer {
  return createHash('sha256').update(`${email.toLowerCase()}\n${network}`).digest();
}
