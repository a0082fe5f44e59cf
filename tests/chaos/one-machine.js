import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findEmbeddedPostgres } from '../../packages/server/dist/kernel/database/postgres/embedded.js';
import { openFolder, postmasterOf, rolesOf, startServer } from '../pressure/stage.js';
import { freePort } from '../support/ports.js';
import { prepare, querying } from './installation.js';

const NAMES = ['api', 'worker', 'streams'];

/** One machine: `figurehead start` with its embedded PostgreSQL and its files on disk. Its supervisor restarts what is killed. As {@link openInstallation}. */
export async function openOneMachine({ env = {} }) {
  const folder = openFolder();
  const port = await freePort();
  const dataDir = join(folder, 'data');
  const url = `http://127.0.0.1:${port}`;
  const common = {
    PATH: process.env.PATH,
    FIGUREHEAD_DATA: dataDir,
    HOST: '127.0.0.1',
    PORT: String(port),
    FIGUREHEAD_URL: url,
    FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1',
    FIGUREHEAD_LOG_LEVEL: 'warn',
    FIGUREHEAD_NATURAL_VOICES: 'off',
    FIGUREHEAD_STREAM_CAPACITY: '6',
    ...env,
  };
  const server = await startServer(common, folder);
  const databaseUrl = await findEmbeddedPostgres(dataDir);
  const query = querying(() => databaseUrl);
  const workspaces = await prepare({ ...common, DATABASE_URL: databaseUrl });
  const signal = (pid, name) => {
    try {
      if (pid !== undefined) process.kill(pid, name);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  };
  const roles = NAMES.map((name) => ({
    name,
    label: name,
    dataDir,
    get pid() {
      return rolesOf(server.pid)[name];
    },
    get ready() {
      const last = (what) => server.output().lastIndexOf(`The role ${name} ${what}`);
      return this.pid !== undefined && last('ended') <= last('is running again.');
    },
    kill(how = 'SIGKILL') {
      signal(this.pid, how);
    },
    freeze() {
      signal(this.pid, 'SIGSTOP');
    },
    thaw() {
      signal(this.pid, 'SIGCONT');
    },
  }));
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  const until = async (what, check, limitMs = 120_000) => {
    for (const end = Date.now() + limitMs; !(await check()); await sleep(100))
      if (Date.now() > end) throw new Error(`waited ${limitMs / 1000} s for ${what}:\n${server.output().slice(-3000)}`);
  };
  return {
    folder,
    bucket: { fileOf: (key) => join(dataDir, 'objects', key) },
    database: {
      async kill() {
        signal(postmasterOf(folder), 'SIGKILL');
      },
      /** The supervisor starts it. */
      start: () => until('the database', () => query('select 1').then(() => true)),
    },
    roles,
    workspaces,
    urls: [url],
    of: (name) => roles.filter((role) => role.name === name),
    ready: () => until('the server', async () => roles.every(({ ready }) => ready) && (await isReady())),
    query,
    async close({ keep = false } = {}) {
      await server.stop();
      if (!keep) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
