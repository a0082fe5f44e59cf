import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import S3rver from 's3rver';
import { freePort } from '../support/ports.js';
import { openPostgres } from './postgres-server.js';
import { startRole } from './role.js';

const PROGRAM = fileURLToPath(new URL('../../packages/server/dist/main.js', import.meta.url));
const SERVER = new URL('../../packages/server/dist/', import.meta.url);

/**
 * Ports of stream hosts, ten each, different from those of another running installation, and below those that the
 * system assigns to connections.
 */
const FIRST_RTC_PORT = 10_000 + (process.pid % 100) * 20;

/**
 * An installation on several machines, simulated on one machine: one PostgreSQL server, one bucket on an S3 server, and
 * roles that share nothing else, each a process with its own data folder, ports and database connection. The caller
 * closes it.
 * @param counts `{apis, workers, hosts, env?}`
 */
export async function openInstallation({ apis, workers, hosts, env = {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'figurehead-machines-'));
  chmodSync(folder, 0o711);
  const database = await openPostgres(join(folder, 'postgres'));
  const bucket = await openBucket(join(folder, 's3'));
  const apiPorts = await Promise.all(Array.from({ length: apis }, freePort));
  const common = {
    HOST: '127.0.0.1',
    FIGUREHEAD_URL: `http://127.0.0.1:${apiPorts[0]}`,
    FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1',
    FIGUREHEAD_LOG_LEVEL: 'warn',
    FIGUREHEAD_NATURAL_VOICES: 'off',
    FIGUREHEAD_STREAM_IDLE_SECONDS: '20',
    FIGUREHEAD_STREAM_CAPACITY: '3',
    FIGUREHEAD_METRICS_PORT: '0',
    FIGUREHEAD_INTERNAL_PORT: '0',
    ...bucket.env,
    ...env,
  };
  const start = async (name, index, extra) => {
    const label = `${name} ${index + 1}`;
    const data = join(folder, `${name}-${index + 1}`);
    mkdirSync(data);
    return startRole({
      name,
      label,
      program: PROGRAM,
      database,
      env: { ...common, FIGUREHEAD_DATA: data, ...extra },
      log: join(folder, `${name}-${index + 1}.log`),
    });
  };
  const workspaces = await prepare({ ...common, DATABASE_URL: database.url(), FIGUREHEAD_DATA: join(folder, 'setup') });
  const roles = [
    ...(await Promise.all(apiPorts.map((port, n) => start('api', n, { PORT: String(port) })))),
    ...(await Promise.all(Array.from({ length: workers }, (_, n) => start('worker', n, {})))),
    ...(await Promise.all(
      Array.from({ length: hosts }, (_, n) => {
        const port = FIRST_RTC_PORT + n * 10;
        return start('streams', n, { FIGUREHEAD_RTC_PORTS: `${port}-${port + 9}` });
      }),
    )),
  ];
  const installation = {
    folder,
    database,
    bucket,
    roles,
    workspaces,
    urls: apiPorts.map((port) => `http://127.0.0.1:${port}`),
    of: (name) => roles.filter((role) => role.name === name),
    /** Waits until every role is ready. */
    async ready(limitMs = 120_000) {
      const until = Date.now() + limitMs;
      while (!roles.every((role) => role.ready)) {
        const late = roles.filter((role) => !role.ready);
        if (Date.now() > until)
          throw new Error(
            `waited ${limitMs / 1000} s for roles; the ends of their logs in ${folder}:\n${late.map(lastWords).join('\n')}`,
          );
        await sleep(100);
      }
    },
    query: querying(() => database.url()),
    async close({ keep = false } = {}) {
      await Promise.all(roles.map((role) => role.stop()));
      await database.stop();
      await bucket.close();
      if (!keep) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return installation;
}

function lastWords({ label, log }) {
  return `${label}: ${readFileSync(log, 'utf8').slice(-1000)}`;
}

/** @returns a function that reads the rows of a query, sent to the database directly, also while it restarts. */
export function querying(urlOf) {
  return async (text, values = []) => {
    for (let attempt = 1; ; attempt++) {
      const client = new pg.Client({ connectionString: urlOf(), connectionTimeoutMillis: 5000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return (await client.query(text, values)).rows;
      } catch (error) {
        if (attempt === 30) throw error;
        await sleep(500);
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  };
}

/** Creates the tables and two workspaces: one for the load, one on the Free plan to exceed its quota. */
export async function prepare(env) {
  const load = (path) => import(new URL(path, SERVER).href);
  const [{ loadConfig }, { createKernel }, { createWorkspace }, { createToken }] = await Promise.all([
    load('kernel/config/config.js'),
    load('kernel/create-kernel.js'),
    load('features/workspaces/index.js'),
    load('features/workspaces/tokens/tokens.js'),
  ]);
  mkdirSync(env.FIGUREHEAD_DATA, { recursive: true });
  const kernel = await createKernel(
    loadConfig({ env: { ...env, FIGUREHEAD_LOG_LEVEL: 'silent' }, cwd: env.FIGUREHEAD_DATA }),
    'setup',
  );
  const open = async (name, settings) => {
    const { _id } = await createWorkspace(kernel, { name, ...settings });
    const { token } = await createToken(kernel, { workspaceId: _id, userId: _id, name: 'chaos' });
    return { id: _id, token, minutes: settings.minutes };
  };
  try {
    return {
      busy: await open('Busy', { plan: 'Enterprise', status: 'active', minutes: 10_000 }),
      other: await open('Other', { plan: 'Team', status: 'active', minutes: 10_000 }),
      free: await open('Free', { plan: 'Free', status: 'free', minutes: 1000 }),
    };
  } finally {
    await kernel.lifecycle.close();
  }
}

async function openBucket(folder) {
  mkdirSync(folder);
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: folder,
    configureBuckets: [{ name: 'figurehead', configs: [] }],
  });
  const { port } = await server.run();
  return {
    /** s3rver stores each object as a file. */
    fileOf: (key) => join(folder, 'figurehead', `${key}._S3rver_object`),
    env: {
      FIGUREHEAD_S3_BUCKET: 'figurehead',
      FIGUREHEAD_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      FIGUREHEAD_S3_ACCESS_KEY: 'S3RVER',
      FIGUREHEAD_S3_SECRET_KEY: 'S3RVER',
    },
    close: () => server.close(),
  };
}
