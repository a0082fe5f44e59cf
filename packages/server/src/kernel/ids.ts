import { randomBytes } from 'node:crypto';
import type { Clock, Ids } from './contract.js';

/**
 * Identifiers of 24 hex characters: 4 bytes of seconds, 5 random bytes drawn once per process, and a 3-byte counter that starts at
 * random. Ids of one process sort by creation; those of several processes sort by second.
 */
export function createIds(clock: Pick<Clock, 'now'>, random: (bytes: number) => Buffer = randomBytes): Ids {
  const machine = random(5).toString('hex');
  // Half the range, so that the counter does not wrap within the first second after a start.
  let counter = random(3).readUIntBE(0, 3) & 0x7f_ff_ff;
  let lastSecond = 0;
  return {
    next() {
      // A clock that is set back must not break the order.
      lastSecond = Math.max(lastSecond, Math.floor(clock.now() / 1000));
      counter += 1;
      if (counter > 0xff_ff_ff) {
        counter = 0;
        lastSecond += 1;
      }
      return lastSecond.toString(16).padStart(8, '0') + machine + counter.toString(16).padStart(6, '0');
    },
    secret: (bytes) => random(bytes).toString('base64url'),
  };
}
