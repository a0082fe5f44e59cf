import { createWriteStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { cpus, loadavg, release, totalmem, uptime } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { sql } from 'kysely';
import { pack } from 'tar-stream';
import { examineInstallation } from '../doctor/index.js';
import { withDatabase } from '../installation.js';
import { type Config, type ConfigOrigin, describeConfig, secretValues } from '../kernel/config/config.js';
import { openDatabase } from '../kernel/database/database.js';
import { executedMigrations, migrationNames } from '../kernel/database/migrations.js';
import { LOG_FOLDER } from '../kernel/observability/log-file.js';
import { OperatorError } from '../kernel/operator-error.js';
import { missingAsUndefined, writeWhole } from '../kernel/storage/files.js';
import { programVersion } from '../kernel/version.js';
import { createScrubber } from './scrub.js';

/** Maximum bytes from the end of each log file. */
const LOG_BYTES = 1024 * 1024;
/** Short: a bundle is most needed when something is unreachable. */
const DATABASE_WITHIN_MS = 3000;
/** Newest first. */
const LOG_FILES = 12;

/**
 * Writes information for support into a `.tar.gz`: versions, configuration, findings of the doctor, state of the
 * database, the last log lines. Secrets, tokens, signatures and personal names are removed from every file; no user
 * content is read.
 * @returns names of the files inside.
 * @throws OperatorError when it cannot be written.
 */
export async function createSupportBundle(options: {
  config: Config;
  origin: ConfigOrigin;
  file: string;
  notice: (line: string) => void;
}): Promise<string[]> {
  const { config, origin, notice } = options;
  const file = resolve(options.file);
  const parts = new Map<string, string>();
  const secrets = secretValues(origin);
  const asJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  parts.set('about.json', asJson(about()));
  parts.set('configuration.json', asJson(describeConfig(origin).filter(({ source }) => source !== 'default')));
  parts.set('doctor.json', asJson(await examineInstallation(config, notice)));
  const state = await withDatabase({ config, notice, waitMs: DATABASE_WITHIN_MS }, databaseState).catch(
    (error: Error) => ({
      state: { unreachable: error.message },
      secrets: [],
    }),
  );
  parts.set('database.json', asJson(state.state));
  for (const [name, text] of await endsOfLogs(join(config.dataDir, LOG_FOLDER))) parts.set(`logs/${name}`, text);
  const scrub = createScrubber([...secrets, ...state.secrets]);
  await write(
    file,
    [...parts].map(([name, text]) => [name, scrub(text)]),
  );
  return [...parts.keys()];
}

function about(): object {
  return {
    figurehead: programVersion(),
    createdAt: new Date().toISOString(),
    versions: process.versions,
    machine: {
      platform: `${process.platform}-${process.arch}`,
      release: release(),
      processors: cpus().length,
      processor: cpus()[0]?.model,
      load: loadavg(),
      memoryBytes: totalmem(),
      uptimeSeconds: Math.round(uptime()),
    },
  };
}

/** State of the database, and the secrets stored in it. */
async function databaseState(url: string): Promise<{ state: object; secrets: string[] }> {
  const { db, close } = openDatabase({ url, maxConnections: 1, onError: () => undefined });
  // A table missing in an older database is reported, and the others are still read.
  const ask = async <Row>(query: ReturnType<typeof sql<Row>>): Promise<Row[] | string> =>
    query.execute(db).then(
      ({ rows }) => rows,
      (error: Error) => error.message,
    );
  try {
    const done = await executedMigrations(db);
    const kept = await ask(sql<{ value: unknown }>`select value from settings where key like 'secret.%'`);
    const state = {
      settings: await ask(sql`
        select name, setting, unit from pg_settings
        where name in ('server_version', 'max_connections', 'shared_buffers', 'work_mem', 'fsync', 'synchronous_commit', 'wal_level', 'TimeZone')`),
      size: await ask(sql`select pg_database_size(current_database()) as bytes`),
      migrations: { done, pending: (await migrationNames()).filter((name) => !done.includes(name)) },
      tables: await ask(sql`
        select n.nspname as schema, c.relname as name, pg_total_relation_size(c.oid) as bytes, c.reltuples::bigint as rows
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p') and n.nspname in ('public', 'boss') order by 3 desc limit 60`),
      queues: await ask(sql`select name, state::text, count(*) from boss.job group by 1, 2 order by 1, 2`),
      failedJobs: await ask(sql`
        select name, output, completed_on from boss.job where state = 'failed' order by completed_on desc limit 20`),
      connections: await ask(sql`
        select application_name, state, count(*), max(now() - xact_start)::text as longest
        from pg_stat_activity where datname = current_database() group by 1, 2 order by 1, 2`),
      waiting: await ask(sql`select count(*) from pg_locks where not granted`),
      videos: await ask(sql`select status, count(*) from videos where not deleted group by 1`),
      streams: await ask(sql`select state, count(*) from streams group by 1`),
      hosts: await ask(sql`select * from stream_hosts`),
      deliveries: await ask(sql`
        select status, count(*) from deliveries where created_at > now() - interval '7 days' group by 1`),
    };
    const secrets = Array.isArray(kept) ? kept.flatMap(({ value }) => (typeof value === 'string' ? [value] : [])) : [];
    return { state, secrets };
  } finally {
    await close();
  }
}

async function endsOfLogs(folder: string): Promise<[string, string][]> {
  const names = (await readdir(folder).catch(missingAsUndefined)) ?? [];
  // `worker-2026-11-21.jsonl`: sorted by day.
  const newest = names
    .filter((name) => name.endsWith('.jsonl'))
    .sort((a, b) => b.slice(-16).localeCompare(a.slice(-16)))
    .slice(0, LOG_FILES);
  return Promise.all(newest.map(async (name): Promise<[string, string]> => [name, await endOf(join(folder, name))]));
}

async function endOf(path: string): Promise<string> {
  const { size } = await stat(path);
  const start = Math.max(0, size - LOG_BYTES);
  const handle = await open(path);
  try {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(size - start), position: start });
    const text = buffer.subarray(0, bytesRead).toString('utf8');
    // A cut line could contain half a secret, which no comparison finds.
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await handle.close();
  }
}

async function write(file: string, parts: readonly (readonly [string, string])[]): Promise<void> {
  const tar = pack();
  try {
    await writeWhole(file, async (part) => {
      const writing = pipeline(tar, createGzip(), createWriteStream(part, { mode: 0o600 }));
      for (const [name, text] of parts) tar.entry({ name: `figurehead-support/${name}` }, text);
      tar.finalize();
      await writing;
    });
  } catch (cause) {
    throw new OperatorError(`The bundle cannot be written to ${file} (${(cause as NodeJS.ErrnoException).code}).`, {
      cause,
    });
  }
}
