import { hash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Kernel, Lifecycle, TemporaryFolders } from '../contract.js';
import { runPeriodically } from '../jobs/repeat.js';
import { missingAsUndefined } from './files.js';
import { isAlive, startOf } from './processes.js';

/*
 * The name of a temporary folder contains its owner: STEM, eight digits, `~PID.START.SPACE`. A killed process leaves its folders, and the
 * next sweep of any process removes them:
 *
 *   SPACE is ours       process ids are comparable: the owner is dead when no process has its id and start time
 *   SPACE is another    a container, another machine, or this one before its last boot, on the same data folder. Such an owner sends
 *                       heartbeats by writing `run/PID.START.SPACE`; it is dead when the file is missing or older than OTHERS_DEAD_AFTER_MS
 */

/** Heartbeat interval of a process with folders. */
const HEARTBEAT_MS = 30_000;

/** Ten heartbeats: tolerates a frozen machine, or a network disk that was unavailable. */
const OTHERS_DEAD_AFTER_MS = 5 * 60_000;

/** Interval of the sweep for folders of killed processes. */
const SWEEP_MS = 60_000;

const OWNER = /~(\d+\.[0-9a-f]{8}\.[0-9a-f]{8})$/;

/** Content of a heartbeat file: not empty, so that every write is a change. */
const SIGN = '1';

/** Dependencies of the folders. */
interface Ground {
  readonly dataDir: string;
  readonly lifecycle: Pick<Lifecycle, 'onClose'>;
}

/**
 * Temporary folders of this process under `tmp` of the data folder. The lifecycle ends their heartbeats; the caller of
 * `open` removes each folder.
 */
export function createTemporaryFolders({ dataDir, lifecycle }: Ground): TemporaryFolders {
  const places = { folders: join(dataDir, 'tmp'), signs: join(dataDir, 'run') };
  const timers: NodeJS.Timeout[] = [];
  let beginning: Promise<string> | undefined;
  // Registered here instead of with the first folder, so that parts opened later still have folders while they close.
  lifecycle.onClose('temporary folders', async () => {
    for (const timer of timers) clearInterval(timer);
    if (beginning !== undefined) await rm(join(places.signs, await beginning), { force: true });
  });

  /** The heartbeat file exists before the first folder. @returns our name. */
  async function begin(): Promise<string> {
    const name = `${process.pid}.${digest(await startOf(process.pid))}.${await spaceOf()}`;
    await mkdir(places.signs, { recursive: true });
    await writeFile(join(places.signs, name), SIGN);
    // A single failed heartbeat does no harm; ten in a row mean that the disk is not writable.
    const heartbeat = () => void writeFile(join(places.signs, name), SIGN).catch(() => undefined);
    timers.push(setInterval(heartbeat, HEARTBEAT_MS).unref());
    return name;
  }

  function ownName(): Promise<string> {
    beginning ??= begin().catch((error: unknown) => {
      beginning = undefined;
      throw error;
    });
    return beginning;
  }

  async function open(stem: string): Promise<string> {
    const folder = join(places.folders, `${stem}${randomBytes(4).toString('hex')}~${await ownName()}`);
    await mkdir(folder, { recursive: true });
    return folder;
  }

  async function sweep(): Promise<string[]> {
    const folders = (await listed(places.folders)).flatMap((entry) => {
      const found = OWNER.exec(entry)?.[1];
      return found === undefined ? [] : [{ entry, owner: found }];
    });
    const owners = new Set([...folders.map(({ owner }) => owner), ...(await listed(places.signs))]);
    if (owners.size === 0) return [];
    const ours = join(places.signs, await ownName());
    const removed: string[] = [];
    for (const owner of owners) {
      const theirs = join(places.signs, owner);
      if (!(await isGone(owner, { theirs, ours }))) continue;
      for (const { entry } of folders.filter((folder) => folder.owner === owner)) {
        await rm(join(places.folders, entry), { recursive: true, force: true });
        removed.push(entry);
      }
      await rm(theirs, { force: true });
    }
    return removed;
  }

  return {
    open,
    sweep,
    async within(stem, work) {
      const folder = await open(stem);
      try {
        return await work(folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Sweeps at once and then periodically until the lifecycle closes. A failure is only logged. */
export async function sweepPeriodically({
  temporary,
  lifecycle,
  log,
}: Pick<Kernel, 'temporary' | 'lifecycle' | 'log'>): Promise<void> {
  const failure = 'temporary folders of killed processes could not be removed';
  const sweep = async () => {
    const removed = await temporary.sweep();
    if (removed.length > 0) log.info({ removed }, 'temporary folders of a process that was killed are removed');
  };
  await sweep().catch((error: unknown) => log.warn({ err: error }, failure));
  runPeriodically({ lifecycle, log }, { name: 'sweep of temporary folders', everyMs: SWEEP_MS, failure }, sweep);
}

async function isGone(owner: string, signs: { theirs: string; ours: string }): Promise<boolean> {
  const [pid = '', started, space] = owner.split('.');
  if (space === (await spaceOf())) {
    if (!isAlive(Number(pid))) return true;
    const start = await startOf(Number(pid));
    // A process that is hidden from us (another user's, with hidepid) counts as alive.
    return start !== '' && digest(start) !== started;
  }
  const theirs = await stat(signs.theirs).catch(missingAsUndefined);
  if (theirs === undefined) return true;
  // By the clock of the disk, which all processes sharing it see.
  await writeFile(signs.ours, SIGN);
  return theirs.mtimeMs < (await stat(signs.ours)).mtimeMs - OTHERS_DEAD_AFTER_MS;
}

/** Identifies where process ids and start times are comparable: a boot of a machine, and a PID namespace in it. */
async function spaceOf(): Promise<string> {
  if (process.platform !== 'linux') return digest(hostname());
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
  return digest(`${boot.trim()} ${await readlink('/proc/self/ns/pid')}`);
}

function digest(text: string): string {
  return hash('sha256', text).slice(0, 8);
}

async function listed(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(missingAsUndefined)) ?? [];
}
