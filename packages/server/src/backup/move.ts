import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Config } from '../kernel/config/config.js';
import { OperatorError } from '../kernel/operator-error.js';
import { COPIES_FOLDER } from './before-upgrade.js';
import { createBackup } from './create.js';
import type { BackupSummary } from './format.js';
import { emptyDatabase, restoreBackup } from './restore.js';

/**
 * Copies a database into another, server or embedded, with rows, waiting jobs and secrets. Media stay where they are.
 * The source is not changed; no process of the installation may use it meanwhile, because later changes would be lost.
 * @param options.replace copies the target to the data folder, then empties it.
 * @returns counts, and the file with the target's former content.
 * @throws OperatorError when the source is in use, or the target is not empty.
 */
export async function moveDatabase(options: {
  config: Config;
  from: string;
  to: string;
  replace: boolean;
}): Promise<BackupSummary & { replaced?: string }> {
  const { config, from, to, replace } = options;
  await refuseUsed(from);
  const folder = join(config.dataDir, COPIES_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().replaceAll(/[:.-]/g, '');
  const passage = join(folder, `moving-${stamp}.tar`);
  try {
    const made = await createBackup({ url: from, config, file: passage, media: false });
    const replaced = replace ? await setAside(config, to, join(folder, `replaced-${stamp}.tar`)) : undefined;
    const moved = await restoreBackup({ config, url: to, file: passage });
    if (moved.rows !== made.rows || moved.tables !== made.tables) {
      throw new Error(
        `${made.rows} rows of ${made.tables} tables were read, but ${moved.rows} of ${moved.tables} written`,
      );
    }
    return { ...moved, ...(replaced === undefined ? {} : { replaced }) };
  } finally {
    await rm(passage, { force: true });
  }
}

/** Copies the target's content, then empties it. */
async function setAside(config: Config, url: string, file: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query("select 1 from pg_class where oid = to_regclass('kysely_migration')");
    if (rowCount === 0) return undefined;
    await refuseUsed(url);
    await createBackup({ url, config, file, media: false });
    await emptyDatabase(client);
    return file;
  } finally {
    await client.end();
  }
}

/** Our roles are recognised by the names of their connections. */
async function refuseUsed(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select distinct application_name as name from pg_stat_activity
       where datname = current_database() and application_name ~ '^figurehead (api|worker|streams|supervisor)' order by 1`,
    );
    if (rows.length === 0) return;
    const names = rows.map(({ name }) => name.replace('figurehead ', '')).join(', ');
    throw new OperatorError(`The database is in use (${names}); stop Figurehead on every machine first.`);
  } finally {
    await client.end();
  }
}
