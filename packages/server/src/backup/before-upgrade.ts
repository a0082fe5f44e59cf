import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../kernel/config/config.js';
import { openDatabase } from '../kernel/database/database.js';
import { executedMigrations, migrationNames } from '../kernel/database/migrations.js';
import { createBackup } from './create.js';

/** Folder of copies inside the data folder. */
export const COPIES_FOLDER = 'copies';

/**
 * Copies an embedded database before this program migrates it: migrations cannot be reverted, so a downgrade needs the
 * copy. For an external server it only prints a notice, because backups are made there by the server's own tools.
 * @param options.config `databaseUrl` unset means embedded.
 * @returns the copy's file; `undefined` when nothing is pending, or the database is empty.
 * @throws OperatorError when the copy cannot be written; the database is then unchanged.
 */
export async function copyBeforeUpgrade(options: {
  config: Config;
  url: string;
  notice: (line: string) => void;
}): Promise<string | undefined> {
  const { config, url, notice } = options;
  const { done, pending } = await compare(url);
  if (done.length === 0 || pending.length === 0) return undefined;
  if (config.databaseUrl !== undefined) {
    notice(
      `The database will be migrated (${pending.length} migrations, the first ${pending[0]}). To downgrade later, you need your own backup of it.`,
    );
    return undefined;
  }
  if (config.migrationCopies === 0) return undefined;
  const folder = join(config.dataDir, COPIES_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().replaceAll(/[:.-]/g, '');
  const file = join(folder, `database-${stamp}-before-${pending[0]}.tar`);
  const { rows } = await createBackup({ url, config, file, media: false });
  notice(`The database will be migrated; a copy of its ${rows} rows is in ${file}.`);
  await keepNewest(folder, config.migrationCopies);
  return file;
}

async function compare(url: string): Promise<{ done: string[]; pending: string[] }> {
  const connection = openDatabase({ url, maxConnections: 1, onError: () => undefined });
  try {
    const done = await executedMigrations(connection.db);
    return { done, pending: (await migrationNames()).filter((name) => !done.includes(name)) };
  } finally {
    await connection.close();
  }
}

/** Names start with the time, so the newest sort last. */
async function keepNewest(folder: string, count: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^database-.*\.tar$/.test(name)).sort();
  for (const name of names.slice(0, -count)) await rm(join(folder, name), { force: true });
}
