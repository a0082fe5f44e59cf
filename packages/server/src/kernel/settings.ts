import { sql } from 'kysely';
import type { Database, Ids, Tx } from './contract.js';

/**
 * A secret of the installation: generated once, the same in every process and after every restart.
 * @param name such as `media-links`.
 * @returns 32 random bytes as base64url.
 */
export async function sharedSecret(db: Database, ids: Ids, name: string): Promise<string> {
  const key = `secret.${name}`;
  const fresh = JSON.stringify(ids.secret(32));
  await sql`insert into settings (key, value) values (${key}, ${fresh}::jsonb) on conflict (key) do nothing`.execute(
    db,
  );
  const { rows } = await sql<{ value: unknown }>`select value from settings where key = ${key}`.execute(db);
  const value = rows[0]?.value;
  if (typeof value !== 'string') throw new Error(`The setting ${key} in the database is not a secret.`);
  return value;
}

/** True for exactly one caller: the one whose transaction commits first. Others wait for it. */
export async function claimOnce(tx: Tx, key: string): Promise<boolean> {
  const { rows } = await sql`
    insert into settings (key, value) values (${key}, 'true'::jsonb) on conflict (key) do nothing returning key`.execute(
    tx,
  );
  return rows.length > 0;
}
