import { setTimeout as delay } from 'node:timers/promises';
import { copyBeforeUpgrade } from '../backup/before-upgrade.js';
import { bootstrapOwner, type Owner } from '../features/workspaces/index.js';
import type { Config } from '../kernel/config/config.js';
import { createKernel } from '../kernel/create-kernel.js';
import { waitForDatabase } from '../kernel/database/wait.js';
import { createLifecycle } from '../kernel/lifecycle.js';
import { claimPort, localAddress } from '../kernel/network/port.js';
import { OperatorError } from '../kernel/operator-error.js';
import { ensureDataFolder } from '../kernel/storage/data-folder.js';
import { lockDataFolder } from '../kernel/storage/data-lock.js';
import { aborted } from '../kernel/waiting.js';
import { type DatabaseProcess, superviseDatabase } from './database-process.js';
import { type RoleProcess, superviseRole } from './role-process.js';
import { ROLES, type RoleName } from './roles.js';
import { listenForStop, type StopSignals } from './stop-signals.js';

/*
 * starting ──every role ready, /readyz answers──▶ running ──SIGINT or SIGTERM──▶ draining ──roles gone──▶ stopped
 *    └── SIGINT or SIGTERM ──▶ draining ──SIGINT or SIGTERM again──▶ killing ──▶ stopped
 *
 * Opened in this order, closed in the opposite one: lock on the data folder, PostgreSQL, roles. The roles' processes start before PostgreSQL, to load
 * their modules meanwhile.
 */

export interface SupervisorOutput {
  /** For the user who started it. */
  readonly say: (line: string) => void;
  /** Details for the log. */
  readonly notice: (line: string) => void;
}

/** Roles of a killed supervisor need a moment to free the port. */
const LEFTOVER_PATIENCE_MS = 8000;

/**
 * Runs the whole server on this machine: the embedded PostgreSQL when DATABASE_URL is not set, and every role as a
 * child process.
 * @returns when everything has ended after a signal.
 * @throws OperatorError with one sentence.
 */
export async function supervise(config: Config, voice: SupervisorOutput): Promise<void> {
  const stop = listenForStop(voice.say);
  const lifecycle = createLifecycle((name, error) => voice.notice(`Closing ${name} failed: ${String(error)}`));
  try {
    await run({ config, voice, lifecycle, stop });
  } finally {
    await lifecycle.close();
    stop.forget();
  }
}

interface Run {
  readonly config: Config;
  readonly voice: SupervisorOutput;
  readonly lifecycle: ReturnType<typeof createLifecycle>;
  readonly stop: StopSignals;
}

async function run({ config, voice, lifecycle, stop }: Run): Promise<void> {
  await ensureDataFolder(config.dataDir);
  const lock = await lockDataFolder(config.dataDir, 'server');
  if (!lock.locked) {
    throw new OperatorError(
      `Figurehead runs on ${config.dataDir} already (process ${lock.holder.pid}); stop it, or set FIGUREHEAD_DATA to another folder.`,
    );
  }
  lifecycle.onClose('the lock', lock.release);
  const port = await claimPort({
    host: config.host,
    port: config.port,
    patienceMs: lock.wasLeft ? LEFTOVER_PATIENCE_MS : 0,
  });
  const url = config.port === 0 ? `http://localhost:${port}` : config.url;
  // Roles load their modules while the database starts.
  let settle: (env: Record<string, string>) => void = () => undefined;
  const env = new Promise<Record<string, string>>((resolve) => {
    settle = resolve;
  });
  const roles = startRoles({ config, env, voice });
  lifecycle.onClose('roles without a database', async () => roles.forEach((role) => void role.kill()));
  const databaseUrl = config.databaseUrl ?? (await openDatabase({ config, voice, lifecycle })).url;
  await waitForDatabase(databaseUrl, voice.notice);
  await copyBeforeUpgrade({ config, url: databaseUrl, notice: voice.notice });
  const owner = await prepareOwner(Object.freeze({ ...config, port, url, databaseUrl }));
  if (stop.draining.aborted) return;

  settle({ DATABASE_URL: databaseUrl, PORT: String(port), FIGUREHEAD_URL: url, FIGUREHEAD_DATA: config.dataDir });
  stop.killing.addEventListener('abort', () => roles.forEach((role) => void role.kill()));
  lifecycle.onClose('the roles', async () => void (await Promise.all(roles.map((role) => role.drain()))));

  const failed = anyFails(roles);
  const ready = waitUntilReady({ port, host: config.host, signal: stop.draining });
  if (await Promise.race([ready, failed])) introduce(voice, url, owner);
  await Promise.race([aborted(stop.draining), failed]);
}

function startRoles({ config, env, voice }: Pick<Run, 'config' | 'voice'> & { env: Promise<Record<string, string>> }) {
  return (Object.keys(ROLES) as RoleName[]).map((name) => {
    const own = env.then((common) => ({ ...common, ...metricsPlace(config, name) }));
    return superviseRole({ name, env: own, notice: voice.notice });
  });
}

/** The API serves its metrics on its own port; each other role takes one of the configured ports. */
function metricsPlace({ metricsPort }: Config, name: RoleName): Record<string, string> {
  if (metricsPort === undefined || name !== 'streams') return {};
  return { FIGUREHEAD_METRICS_PORT: String(metricsPort === 0 ? 0 : metricsPort + 1) };
}

async function openDatabase({ config, voice, lifecycle }: Omit<Run, 'stop'>): Promise<DatabaseProcess> {
  const database = await superviseDatabase(config.dataDir, voice.notice);
  lifecycle.onClose('PostgreSQL', database.stop);
  return database;
}

/** Migrates the database before the roles use it, and creates the owner of a new one. */
async function prepareOwner(config: Config): Promise<Owner | undefined> {
  const kernel = await createKernel(config, 'supervisor');
  try {
    return await bootstrapOwner(kernel);
  } finally {
    await kernel.lifecycle.close();
  }
}

function introduce(voice: SupervisorOutput, url: string, owner: Owner | undefined): void {
  voice.say('');
  voice.say(`Figurehead is ready: ${url}`);
  if (owner !== undefined) {
    voice.say('');
    voice.say('  This is shown only once:');
    voice.say(`  E-mail     ${owner.email}`);
    voice.say(`  Password   ${owner.password}`);
    voice.say(`  API token  ${owner.token}`);
  }
  voice.say('');
}

/** @returns true when the API is ready, false when `signal` aborts first. */
async function waitUntilReady(options: { port: number; host: string; signal: AbortSignal }): Promise<boolean> {
  const { port, host, signal } = options;
  const address = `${localAddress(host, port)}/readyz`;
  while (!signal.aborted) {
    const isReady = await fetch(address, { signal: AbortSignal.timeout(5000) }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.ok;
      },
      () => false,
    );
    if (isReady) return true;
    await delay(100);
  }
  return false;
}

/** Rejects when a role cannot be started at all. Never resolves. */
function anyFails(roles: readonly RoleProcess[]): Promise<never> {
  return new Promise((_resolve, reject) => {
    for (const role of roles)
      role.ended.catch((error: Error) => reject(new OperatorError(error.message, { cause: error })));
  });
}
