import { expect, it } from 'vitest';
import { createPasswords } from './passwords.js';

it('passwords are hashed few at once; what waits too long in line is refused, and afterwards there is room', async () => {
  const passwords = createPasswords();
  const outcomes = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => passwords.hash(`password ${i}`)));
  const done = outcomes.filter(({ status }) => status === 'fulfilled');
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
  // Two run and thirty wait.
  expect([done.length, refused]).toEqual([32, Array(8).fill('overloaded')]);
  const stored = await passwords.hash('correct horse');
  expect([await passwords.verify('correct horse', stored), await passwords.verify('wrong', stored)]).toEqual([
    true,
    false,
  ]);
}, 60_000);
