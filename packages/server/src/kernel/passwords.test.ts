import { describe, expect, it } from 'vitest';
import { createPasswords } from './passwords.js';

describe('passwords', () => {
  const limits = { atOnce: 2, perWorkspace: 2, waitingPerWorkspace: 6, waitMs: 60_000 };
  const codesOf = (outcomes: PromiseSettledResult<string>[]) =>
    outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
  const hashAll = (passwords: ReturnType<typeof createPasswords>, count: number) =>
    Promise.allSettled(Array.from({ length: count }, (_, i) => passwords.hash(`password ${i}`)));

  it('are hashed a few at a time; calls are refused while the queue is full, and accepted afterwards', async () => {
    const passwords = createPasswords(limits);
    // Two run and six wait.
    expect(codesOf(await hashAll(passwords, 12))).toEqual(Array(4).fill('overloaded'));
    const stored = await passwords.hash('correct horse');
    expect([await passwords.verify('correct horse', stored), await passwords.verify('wrong', stored)]).toEqual([
      true,
      false,
    ]);
  });

  it('are refused after waiting too long for a busy processor, so every call of a flood gets an answer', async () => {
    const passwords = createPasswords({ ...limits, waitMs: 1 });
    expect(codesOf(await hashAll(passwords, 8))).toEqual(Array(6).fill('overloaded'));
  });
});
