import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { missingAsUndefined } from './files.js';
import { isAlive, startOf } from './processes.js';

/** Kind of holder: a server for its whole run, a command for a moment. */
export type HolderKind = 'server' | 'command';

/** The process that holds a data folder. */
export interface Holder {
  readonly kind: HolderKind;
  readonly pid: number;
  /** Distinguishes the process from a later one with the same id. */
  readonly start: string;
}

/** Outcome of asking for a data folder. */
export type LockOutcome =
  | {
      readonly locked: true;
      /** True when the last holder died without releasing it. */
      readonly wasLeft: boolean;
      release(): Promise<void>;
    }
  | { readonly locked: false; readonly holder: Holder };

/** Commands take seconds, so the next process waits. */
const WAIT_FOR_COMMAND_MS = 30_000;

/**
 * Locks the data folder for this process, or returns the server that holds it. The lock of a dead process is ignored.
 */
export async function lockDataFolder(dataDir: string, kind: HolderKind): Promise<LockOutcome> {
  const path = join(dataDir, 'lock');
  const own = JSON.stringify({ kind, pid: process.pid, start: await startOf(process.pid) } satisfies Holder);
  const deadline = performance.now() + WAIT_FOR_COMMAND_MS;
  let wasLeft = false;
  for (;;) {
    if (await createWhole(path, own)) return { locked: true, wasLeft, release: () => rm(path, { force: true }) };
    const content = await readFile(path, 'utf8').catch(missingAsUndefined);
    if (content === undefined) continue;
    const holder = parseHolder(content);
    if (holder === undefined || !(await isRunning(holder))) {
      await removeStale(path, content);
      wasLeft = true;
    } else if (holder.kind === 'server' || performance.now() > deadline) {
      return { locked: false, holder };
    } else {
      await delay(100);
    }
  }
}

/** Creates the file with its content atomically. @returns false when it exists. */
async function createWhole(path: string, content: string): Promise<boolean> {
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, content, { mode: 0o600 });
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Two processes may find the same stale lock; the slower one must not remove the new lock of the faster one. */
async function removeStale(path: string, content: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const taken = await readFile(aside, 'utf8').catch(missingAsUndefined);
  if (taken !== undefined && taken !== content) await createWhole(path, taken);
  await rm(aside, { force: true });
}

function parseHolder(content: string): Holder | undefined {
  try {
    const { kind, pid, start } = JSON.parse(content) as Partial<Holder>;
    if ((kind !== 'server' && kind !== 'command') || typeof pid !== 'number' || typeof start !== 'string')
      return undefined;
    return { kind, pid, start };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function isRunning(holder: Holder): Promise<boolean> {
  return isAlive(holder.pid) && (await startOf(holder.pid)) === holder.start;
}
