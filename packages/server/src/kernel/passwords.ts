import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Passwords } from './contract.js';
import { overloaded } from './errors.js';
import { FairSemaphore, type SemaphoreLimits } from './fair-semaphore.js';

/** OWASP's second choice for scrypt (2^16, 8, 2) needs 64 MB per sign-in; this one needs 32 MB, for small machines. */
const PARAMETERS = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };
const KEY_BYTES = 32;

/**
 * Half of the threads that Node also uses for files and DNS. A hash takes a tenth of a second alone and many times that
 * on a busy machine, so waiting is also limited by time and each attempt gets an answer. One of two processors is left
 * for other calls.
 */
const MAX_AT_ONCE = 2;
const LINE = { waitingPerWorkspace: 30, waitMs: 5000 } as const;

/**
 * Hashes and verifies passwords with scrypt, a few at a time: a flood of sign-ins must not occupy all processors or
 * threads.
 */
export function createPasswords(limits: SemaphoreLimits = limitsHere()): Passwords {
  const semaphore = new FairSemaphore(limits, overloaded);
  // A sign-in does not belong to a workspace yet.
  const derive = (password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> =>
    semaphore.run('', () => deriveKey(password, salt, options));
  return {
    async hash(password) {
      const salt = randomBytes(16);
      const key = await derive(password, salt, PARAMETERS);
      const { N, r, p } = PARAMETERS;
      return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
    },
    async verify(password, stored) {
      const [kind, n, r, p, salt = '', hash = ''] = stored.split('$');
      if (kind !== 'scrypt') return false;
      const expected = Buffer.from(hash, 'base64url');
      const options = { N: Number(n), r: Number(r), p: Number(p), maxmem: PARAMETERS.maxmem };
      const actual = await derive(password, Buffer.from(salt, 'base64url'), options);
      return expected.length === actual.length && timingSafeEqual(expected, actual);
    },
  };
}

function deriveKey(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

function limitsHere(): SemaphoreLimits {
  const atOnce = Math.max(1, Math.min(MAX_AT_ONCE, availableParallelism() - 1));
  return { ...LINE, atOnce, perWorkspace: atOnce };
}
