import { statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Config } from '../config.js';
import { withDatabase } from '../installation.js';
import { ensureDataFolder } from '../kernel/data-folder.js';
import { openDatabase } from '../kernel/database.js';
import { isMigrated } from '../kernel/migrations.js';
import { claimPort, localAddress } from '../port.js';
import { jsonOption, notice, print, type Registration, readConfig } from './command.js';

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

const LITTLE_SPACE_BYTES = 2e9;
const OLDEST_NODE = [20, 19] as const;

/** `figurehead doctor`: what a start would stumble over. Ends with 1 when something is wrong. */
export const registerDoctor: Registration = (program) => {
  program
    .command('doctor')
    .description('check what the server needs: Node, data folder, disk, database, port')
    .addOption(jsonOption())
    .action(async (flags: { json?: boolean }) => {
      const findings = await examine(readConfig());
      print(
        flags.json,
        { ok: findings.every((finding) => finding.ok), findings },
        findings.map((finding) => `${finding.ok ? 'ok   ' : 'WRONG'} ${finding.check}: ${finding.detail}`),
      );
      if (findings.some((finding) => !finding.ok)) process.exitCode = 1;
    });
};

async function examine(config: Config): Promise<Finding[]> {
  return [
    nodeVersion(),
    { check: 'processors', ok: true, detail: `${availableParallelism()} to work with` },
    await attempt('data folder', async () => {
      await ensureDataFolder(config.dataDir);
      return config.dataDir;
    }),
    await attempt('disk', () => freeSpace(config.dataDir)),
    await attempt('database', () => withDatabase(config, notice, databaseState)),
    await attempt('port', () => portState(config)),
    {
      check: 'media',
      ok: true,
      detail: config.s3Bucket === undefined ? 'files in the data folder' : `bucket ${config.s3Bucket}`,
    },
    {
      check: 'mail',
      ok: true,
      detail: config.smtpUrl === undefined ? 'kept in the outbox of the console' : 'sent by SMTP',
    },
  ];
}

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return {
    check: 'Node',
    ok,
    detail: `${process.version}${ok ? '' : `; ${OLDEST_NODE.join('.')} or newer is needed`}`,
  };
}

async function portState(config: Config): Promise<string> {
  const { host, port } = config;
  try {
    await claimPort({ host, port, patienceMs: 0 });
    return `${port} on ${host} is free`;
  } catch (error) {
    if (await isOurs(host, port)) return `${port} on ${host} is used by the running server`;
    throw error;
  }
}

/** True when a server of ours answers on the port. */
async function isOurs(host: string, port: number): Promise<boolean> {
  return fetch(`${localAddress(host, port)}/healthz`, { signal: AbortSignal.timeout(2000) }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );
}

async function freeSpace(dataDir: string): Promise<string> {
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const detail = `${(free / 1e9).toFixed(1)} GB free`;
  if (free < LITTLE_SPACE_BYTES) throw new Error(`only ${detail}`);
  return detail;
}

async function databaseState(url: string): Promise<string> {
  const connection = openDatabase({ url, maxConnections: 1, onError: () => undefined });
  try {
    const { rows } = await connection.pool.query<{ version: string }>(
      `select current_setting('server_version') as version`,
    );
    const migrated = await isMigrated(connection.db);
    return `PostgreSQL ${rows[0]?.version ?? ''}, ${migrated ? 'up to date' : 'to be brought up to date by the next start'}`;
  } finally {
    await connection.close();
  }
}

async function attempt(check: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, detail: await look() };
  } catch (error) {
    return { check, ok: false, detail: (error as Error).message };
  }
}
