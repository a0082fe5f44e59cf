import { type Kysely, sql } from 'kysely';
import type { Database } from '../../kernel/contract.js';

interface FailuresTable {
  subject: Buffer;
  failures: number;
  lastAt: Date;
  blockedUntil: Date;
}

type Tables = { signInFailures: FailuresTable };

/** Failures by the time of the latest, for their removal. */
export const SIGN_IN_FAILURES = { table: 'sign_in_failures', column: 'last_at' } as const;

const open = (db: Database): Kysely<Tables> => db.withTables<Tables>();

export async function findFailures(db: Database, subject: Buffer): Promise<FailuresTable | undefined> {
  return open(db).selectFrom('signInFailures').selectAll().where('subject', '=', subject).executeTakeFirst();
}

/** Counts a failure in one statement, so that concurrent processes lose none. Returns the failures of the subject. */
export async function addFailure(
  db: Database,
  failure: { subject: Buffer; now: Date; forgottenBefore: Date; freeFailures: number; longestWaitMs: number },
): Promise<number> {
  const { subject, now, forgottenBefore, freeFailures, longestWaitMs } = failure;
  const { rows } = await sql<{ failures: number }>`
    insert into sign_in_failures as f (subject, failures, last_at, blocked_until) values (${subject}, 1, ${now}, ${now})
    on conflict (subject) do update set
      failures = case when f.last_at < ${forgottenBefore} then 1 else f.failures + 1 end,
      last_at = ${now},
      blocked_until = case
        when f.last_at < ${forgottenBefore} or f.failures < ${freeFailures} then ${now}::timestamptz
        else ${now}::timestamptz + least(${longestWaitMs}, 1000 * 2 ^ least(f.failures - ${freeFailures}, 20)) * interval '1 ms'
      end
    returning failures`.execute(db);
  return rows[0]?.failures ?? 0;
}

/** Forgets the failures of a subject. */
export async function deleteFailures(db: Database, subject: Buffer): Promise<void> {
  await open(db).deleteFrom('signInFailures').where('subject', '=', subject).execute();
}
