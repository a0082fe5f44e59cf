import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import pLimit from 'p-limit';
import type { Passwords } from './contract.js';
import { overloaded } from './http/error.js';

/** OWASP's second choice for scrypt (2^16, 8, 2) needs 64 MB a sign-in; this one 32 MB, for small machines. */
const PARAMETERS = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };
const KEY_BYTES = 32;

/** Hashes at once: half of the threads that Node also reads files and resolves names with. */
const AT_ONCE = 2;
/** Hashes that wait; a tenth of a second each, so that the last is done within two seconds. */
const MOST_WAITING = 30;

/** Hashes and checks passwords by scrypt, few at once: a flood of sign-ins takes neither all processors nor all threads. */
export function createPasswords(): Passwords {
  const limit = pLimit(AT_ONCE);
  const derive = async (password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> => {
    if (limit.pendingCount >= MOST_WAITING) throw overloaded();
    return limit(() => deriveKey(password, salt, options));
  };
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
