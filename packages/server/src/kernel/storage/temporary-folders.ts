import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Kernel, Lifecycle, TemporaryFolders } from '../contract.js';
import { repeat } from '../jobs/repeat.js';
import { missingAsUndefined } from './files.js';
import { isAlive, startOf } from './processes.js';

/*
 * A temporary folder bears its owner in its name: STEM, eight digits, `~PID.START.SPACE`. Whoever is killed leaves his folders behind, and
 * whoever sweeps next removes them:
 *
 *   SPACE is our own    process ids mean the same to both: gone is who does not run, or runs since another moment
 *   SPACE is another    a container, a machine, or this one before it started again, on the same data folder. Such an owner says that he lives
 *                       by writing `run/PID.START.SPACE`; gone is whose file is missing, or older than OTHERS_DEAD_AFTER_MS
 */

/** How often a process with folders says that it lives. */
const HEARTBEAT_MS = 30_000;

/** Ten heartbeats: a frozen machine, or a network disk that was away. */
const OTHERS_DEAD_AFTER_MS = 5 * 60_000;

/** How often what killed processes left is looked for. */
const SWEEP_MS = 60_000;

const OWNER = /~(\d+\.[0-9a-f]{8}\.[0-9a-f]{8})$/;

/** What a sign of life says: something, so that every writing of it is a change. */
const SIGN = '1';

/** A process, told from every other that may have this data folder. */
interface Owner {
  readonly pid: number;
  readonly start: string;
  readonly space: string;
}

/** What the folders need of the house. */
interface Ground {
  readonly dataDir: string;
  readonly lifecycle: Pick<Lifecycle, 'onClose'>;
}

/** Temporary folders of this process under `tmp` of the data folder. The lifecycle ends their upkeep; each folder's maker removes it. */
export function createTemporaryFolders({ dataDir, lifecycle }: Ground): TemporaryFolders {
  const places = { folders: join(dataDir, 'tmp'), signs: join(dataDir, 'run') };
  const timers: NodeJS.Timeout[] = [];
  let beginning: Promise<string> | undefined;
  // Here and not with the first folder: what opens later still has folders when it closes.
  lifecycle.onClose('temporary folders', async () => {
    for (const timer of timers) clearInterval(timer);
    if (beginning !== undefined) await rm(join(places.signs, await beginning), { force: true });
  });

  /** The sign of life is there before the first folder is. @returns our name. */
  async function begin(): Promise<string> {
    const { pid, start, space } = await ownerOf(process.pid);
    const name = `${pid}.${start}.${space}`;
    await mkdir(places.signs, { recursive: true });
    await writeFile(join(places.signs, name), SIGN);
    // A heartbeat that fails is made up by the next; ten in a row are a disk that nobody can write to.
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
      if (!(await isGone(parseOwner(owner), { theirs, ours }))) continue;
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

/** Sweeps at once, and now and then until the lifecycle closes. A failure is only logged. */
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
  repeat({ lifecycle, log }, { name: 'sweep of temporary folders', everyMs: SWEEP_MS, failure }, sweep);
}

async function isGone(owner: Owner, signs: { theirs: string; ours: string }): Promise<boolean> {
  if (owner.space === (await spaceOf())) {
    if (!isAlive(owner.pid)) return true;
    const start = await startOf(owner.pid);
    // A process that is hidden from us (another user's, with hidepid) lives.
    return start !== '' && digest(start) !== owner.start;
  }
  const theirs = await stat(signs.theirs).catch(missingAsUndefined);
  if (theirs === undefined) return true;
  // By the clock of the disk, which all who share it see.
  await writeFile(signs.ours, SIGN);
  return theirs.mtimeMs < (await stat(signs.ours)).mtimeMs - OTHERS_DEAD_AFTER_MS;
}

function parseOwner(name: string): Owner {
  const [pid = '', start = '', space = ''] = name.split('.');
  return { pid: Number(pid), start, space };
}

async function ownerOf(pid: number): Promise<Owner> {
  return { pid, start: digest(await startOf(pid)), space: await spaceOf() };
}

/** Where process ids and start times mean the same: a boot of a machine, and a PID namespace in it. */
async function spaceOf(): Promise<string> {
  if (process.platform !== 'linux') return digest(hostname());
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
  return digest(`${boot.trim()} ${await readlink('/proc/self/ns/pid')}`);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

async function listed(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(missingAsUndefined)) ?? [];
}
