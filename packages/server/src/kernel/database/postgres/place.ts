import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, canReach } from './account.js';

/** Folders and files of an embedded PostgreSQL. */
export interface PostgresPaths {
  /** Parent of the others; belongs to the account that runs PostgreSQL. */
  readonly home: string;
  /** Data folder of the cluster; its name contains the major version. */
  readonly cluster: string;
  /** Folder of the unix socket. */
  readonly sockets: string;
  readonly logFile: string;
  /** True when the home is outside of the data folder, because the account cannot reach it. */
  readonly elsewhere: boolean;
}

/** `sun_path` holds 108 bytes including the closing zero (104 on macOS); PostgreSQL appends this name to the folder. */
const SOCKET_NAME = '/.s.PGSQL.5432';
const LONGEST_SOCKET_FOLDER = 103 - SOCKET_NAME.length;

/** Home of databases whose data folder is not reachable for PostgreSQL's account (`/root/…`, started as root). */
const SHARED_STATE = '/var/lib/figurehead';

/** Chooses the folders of a data folder's embedded PostgreSQL. Changes nothing. */
export async function choosePlace(account: Account, dataDir: string): Promise<PostgresPaths> {
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  const reachable = await canReach(account, dataDir);
  const home = reachable ? join(dataDir, 'postgres') : join(SHARED_STATE, hash);
  const sockets = join(home, 'run');
  return {
    home,
    cluster: join(home, '18'),
    sockets: Buffer.byteLength(sockets) <= LONGEST_SOCKET_FOLDER ? sockets : join(tmpdir(), `figurehead-${hash}`),
    logFile: join(home, 'postgres.log'),
    elsewhere: !reachable,
  };
}
