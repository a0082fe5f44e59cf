import { spawn } from 'node:child_process';
import { chmod, chown, open, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../../operator-error.js';
import { isThere } from '../../storage/files.js';
import { isAlive } from '../../storage/processes.js';
import { within } from '../../waiting.js';
import { type Account, makePrivateFolder, postgresAccount } from './account.js';
import { type Binaries, locateBinaries } from './binaries.js';
import { choosePlace, type PostgresPaths } from './place.js';
import { findPostmaster, isPidFileStale } from './postmaster.js';

/** A running embedded PostgreSQL. The caller stops it. */
export interface EmbeddedPostgres {
  /** For `DATABASE_URL`: a unix socket, no TCP port. */
  readonly url: string;
  readonly pid: number;
  /** True when the server was already running because an earlier process was killed. */
  readonly adopted: boolean;
  /** Resolves when the server has ended, for any reason. */
  readonly exited: Promise<void>;
  /** Fast shutdown: open transactions roll back, nothing committed is lost. Resolves when the server is gone. */
  stop(): Promise<void>;
}

/** How an embedded PostgreSQL is opened. */
export interface EmbeddedOptions {
  /** Absolute data folder of the installation. */
  readonly dataDir: string;
  /** Server settings that override the defaults, such as `fsync: 'off'` in tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Receives messages for the operator. */
  readonly notice: (line: string) => void;
}

const USER = 'figurehead';
const DATABASE = 'figurehead';
/** Crash recovery of a large write-ahead log may take this long. */
const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 20_000;
const LOG_LIMIT_BYTES = 10_000_000;
/** Free space that a new database needs: 60 MB with its write-ahead log, and the tables of the program. */
const NEW_CLUSTER_MB = 100;
/** Free space that a start needs: two segments of the write-ahead log. */
const START_MB = 32;

/**
 * Opens the embedded PostgreSQL of a data folder: creates the cluster if necessary, adopts a running server or starts
 * one. Authentication is `trust`: the socket is in a folder that only PostgreSQL's own account and root can enter.
 * @throws OperatorError with one sentence for the operator.
 */
export async function openEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const account = await postgresAccount();
  const place = await choosePlace(account, options.dataDir);
  await makePrivateFolder(account, place.home);
  if (place.elsewhere) {
    options.notice(
      `PostgreSQL does not run as root and cannot reach ${options.dataDir}; its database is in ${place.home}.`,
    );
  }
  const running = await findPostmaster(place.cluster);
  if (running !== undefined) {
    await waitUntilReady(running.socketFolder, () => isAlive(running.pid), place);
    return handle({ pid: running.pid, socketFolder: running.socketFolder, adopted: true, exited: watch(running.pid) });
  }
  const isNew = !(await isThere(place.cluster));
  if (isNew) await requireDisk(place.home, NEW_CLUSTER_MB);
  const binaries = await locateBinaries(account, place.home);
  await makePrivateFolder(account, place.sockets);
  if (isNew) await createCluster(account, place, binaries);
  if (await isPidFileStale(place.cluster)) await rm(join(place.cluster, 'postmaster.pid'), { force: true });
  return startServer(account, place, { binaries, settings: options.settings ?? {} });
}

/** URL of the server that runs on a data folder now, or `undefined`. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const place = await choosePlace(await postgresAccount(), dataDir);
  const running = await findPostmaster(place.cluster);
  return running === undefined ? undefined : urlOf(running.socketFolder, DATABASE);
}

function urlOf(socketFolder: string, database: string): string {
  return `postgresql://${USER}@/${database}?host=${encodeURIComponent(socketFolder)}&port=5432`;
}

/** Runs initdb in a temporary folder and renames it, so an existing cluster is complete. */
async function createCluster(account: Account, place: PostgresPaths, binaries: Binaries): Promise<void> {
  const unfinished = `${place.cluster}.new`;
  await rm(unfinished, { recursive: true, force: true });
  const args = [
    ...['-D', unfinished, '-U', USER, '--auth=trust', '--encoding=UTF8', '--no-instructions'],
    // The builtin provider sorts the same on every machine and needs no system locale.
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
  ];
  const child = spawn(binaries.initdb, args, {
    ...account,
    cwd: place.home,
    env: serverEnvironment(binaries),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-2000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) {
    const reason = complaint.split('\n').find((line) => line.includes('error')) ?? complaint.trim();
    throw new OperatorError(`The embedded PostgreSQL could not be set up in ${place.home}: ${reason}`);
  }
  await rename(unfinished, place.cluster);
}

/** Only the variables that PostgreSQL needs: a `PG*` variable of the operator must not change its behaviour. */
function serverEnvironment(binaries: Binaries): NodeJS.ProcessEnv {
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...binaries.env };
}

async function startServer(
  account: Account,
  place: PostgresPaths,
  options: { binaries: Binaries; settings: Readonly<Record<string, string>> },
): Promise<EmbeddedPostgres> {
  const settings: Record<string, string> = {
    listen_addresses: '',
    unix_socket_permissions: '0700',
    max_connections: '120',
    shared_buffers: '64MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...options.settings,
  };
  const args = ['-D', place.cluster, '-k', place.sockets, '-p', '5432'];
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
  const log = await openLog(account, place.logFile);
  // A separate process group: Ctrl-C in a terminal must reach only the supervisor, which stops PostgreSQL last.
  const child = spawn(options.binaries.postgres, args, {
    ...account,
    cwd: place.home,
    env: serverEnvironment(options.binaries),
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  let gone = false;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      gone = true;
      resolve();
    });
  });
  const spawned = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) =>
      reject(new OperatorError(`PostgreSQL cannot be started: ${cause.message}`, { cause })),
    );
  });
  try {
    await spawned;
  } finally {
    await log.close();
  }
  child.unref();
  const pid = child.pid!;
  try {
    await waitUntilReady(place.sockets, () => !gone, place);
  } catch (error) {
    if (!gone) child.kill('SIGQUIT');
    throw error;
  }
  return handle({ pid, socketFolder: place.sockets, adopted: false, exited });
}

/** The log outlives this process together with the server, so it is a file instead of a pipe. */
async function openLog(account: Account, path: string) {
  const size = await stat(path).then(
    (info) => info.size,
    () => 0,
  );
  if (size > LOG_LIMIT_BYTES) await rename(path, `${path}.1`);
  const file = await open(path, 'a', 0o600);
  if (account.uid !== undefined) await chown(path, account.uid, account.gid ?? account.uid);
  await chmod(path, 0o600);
  return file;
}

function handle(server: {
  pid: number;
  socketFolder: string;
  adopted: boolean;
  exited: Promise<void>;
}): EmbeddedPostgres {
  const { pid, socketFolder, adopted, exited } = server;
  return { url: urlOf(socketFolder, DATABASE), pid, adopted, exited, stop: () => stopServer(pid, exited) };
}

/** An adopted server is not a child process, so it is watched by its process id. */
async function watch(pid: number): Promise<void> {
  while (isAlive(pid)) await delay(250, undefined, { ref: false });
}

async function stopServer(pid: number, exited: Promise<void>): Promise<void> {
  signal(pid, 'SIGINT');
  const stopped = exited.then(() => true);
  if (await within(STOP_WITHIN_MS, stopped)) return;
  // Immediate shutdown: the next start recovers from the write-ahead log.
  signal(pid, 'SIGQUIT');
  await exited;
}

function signal(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Waits until the server answers, and creates the database when it is missing. */
async function waitUntilReady(socketFolder: string, isRunning: () => boolean, place: PostgresPaths): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    if (!isRunning()) {
      await requireDisk(place.home, START_MB);
      throw new OperatorError(`The embedded PostgreSQL stopped while starting; its log is ${place.logFile}.`);
    }
    try {
      await ensureDatabase(socketFolder);
      return;
    } catch (error) {
      // A starting server has no socket yet or answers 57P03 (cannot connect now).
      if (performance.now() > deadline) {
        throw new OperatorError(
          `The embedded PostgreSQL does not answer: ${(error as Error).message}. Its log is ${place.logFile}.`,
        );
      }
    }
    await delay(30);
  }
}

async function ensureDatabase(socketFolder: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(socketFolder, 'postgres'), connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  // A client that never connected need not be ended.
  await client.connect();
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/** @throws OperatorError when the disk of a folder has less free space. */
async function requireDisk(folder: string, neededMb: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const freeMb = Math.floor((bavail * bsize) / 1e6);
  if (freeMb >= neededMb) return;
  throw new OperatorError(
    `The disk of ${folder} is full: ${freeMb} MB are free, and PostgreSQL needs ${neededMb} MB; free some space, or move the data folder to another disk.`,
  );
}
