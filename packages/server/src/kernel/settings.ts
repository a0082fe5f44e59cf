import { sql } from 'kysely';
import type { Database, Ids, Tx } from './contract.js';

/**
 * A secret of the installation: generated once, the same in every process and after every restart.
 * @param name such as `media-links`.
 * @returns 32 random bytes as base64url.
 */
export async function sharedSecret(db: Database, ids: Ids, name: string): Promise<string> {
  return sharedSetting(db, `secret.${name}`, async () => ids.secret(32));
}

/** A value of the installation: made once, the same in every process and after every restart. */
export async function sharedSetting<Value>(db: Database, key: string, make: () => Promise<Value>): Promise<Value> {
  const read = async () =>
    (await sql<{ value: Value }>`select value from settings where key = ${key}`.execute(db)).rows[0]?.value;
  const found = await read();
  if (found !== undefined) return found;
  const fresh = JSON.stringify(await make());
  await sql`insert into settings (key, value) values (${key}, ${fresh}::jsonb) on conflict (key) do nothing`.execute(
    db,
  );
  const value = await read();
  if (value === undefined) throw new Error(`The setting ${key} was removed from the database.`);
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
