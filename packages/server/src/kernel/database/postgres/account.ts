import { chown, mkdir, readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { OperatorError } from '../../operator-error.js';
import { missingAsUndefined } from '../../storage/files.js';

/** The account that PostgreSQL runs as. Ids are `undefined` for our own account. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** The uid of an unprivileged account on nearly every Linux. */
const NOBODY = 65_534;

/**
 * The account that runs PostgreSQL for this process: our own, or an unprivileged user when we are root, because
 * PostgreSQL refuses to run as root.
 * @throws OperatorError when the user has no name, which PostgreSQL requires.
 */
export async function postgresAccount(): Promise<Account> {
  const ours = process.getuid?.();
  if (ours === undefined) return {};
  if (ours !== 0) {
    if (!hasName()) {
      throw new OperatorError(
        `PostgreSQL needs a user with a name, and user ${ours} has none; start as a named user, or set DATABASE_URL.`,
      );
    }
    return {};
  }
  const named = await namedUsers();
  const chosen = named.find((user) => user.uid === NOBODY) ?? named.find((user) => user.uid > 0);
  if (chosen === undefined) {
    throw new OperatorError('PostgreSQL does not run as root, and there is no other user here; set DATABASE_URL.');
  }
  return chosen;
}

function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/** Users of /etc/passwd. */
async function namedUsers(): Promise<{ uid: number; gid: number }[]> {
  const content = await readFile('/etc/passwd', 'utf8').catch(missingAsUndefined);
  return (content ?? '').split('\n').flatMap((line) => {
    const [, , uid, gid] = line.split(':');
    return uid !== undefined && gid !== undefined && /^\d+$/.test(uid) ? [{ uid: Number(uid), gid: Number(gid) }] : [];
  });
}

/** True when the account can enter `path` and all folders above it (folders at the end of the path may be missing). */
export async function canReach(account: Account, path: string): Promise<boolean> {
  if (account.uid === undefined) return true;
  for (let folder = path; ; folder = dirname(folder)) {
    const info = await stat(folder).catch(missingAsUndefined);
    if (info !== undefined) {
      const bit = info.uid === account.uid ? 0o100 : info.gid === account.gid ? 0o010 : 0o001;
      if ((info.mode & bit) === 0) return false;
    }
    if (folder === dirname(folder)) return true;
  }
}

/** Creates a folder that only the account (and root) can enter; checks that an existing one belongs to the account. */
export async function makePrivateFolder(account: Account, path: string): Promise<void> {
  // Parent folders may be traversed but not listed.
  await mkdir(dirname(path), { recursive: true, mode: 0o711 });
  await mkdir(path, { recursive: true, mode: 0o700 });
  const info = await stat(path);
  const owner = account.uid ?? process.getuid?.();
  if (info.uid === owner) return;
  // Only our own folder may change owner: in a shared /tmp another user's folder could be a trap.
  if (account.uid === undefined || info.uid !== 0) {
    throw new OperatorError(
      `The folder ${path} belongs to user ${info.uid} and not to user ${owner}, which runs PostgreSQL.`,
    );
  }
  try {
    await chown(path, account.uid, account.gid ?? account.uid);
  } catch (cause) {
    throw new OperatorError(
      `PostgreSQL does not run as root, and ${path} cannot be given to user ${account.uid} here; start as an ordinary user or set DATABASE_URL.`,
      { cause },
    );
  }
}
