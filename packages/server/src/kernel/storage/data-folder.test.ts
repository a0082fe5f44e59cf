import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ensureDataFolder } from './data-folder.js';

it('removes other users’ permissions from a data folder and its contents', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fh-data-folder-'));
  try {
    for (const name of ['objects', 'cache', 'tmp']) {
      await mkdir(join(folder, name));
      await chmod(join(folder, name), 0o755);
    }
    await writeFile(join(folder, 'settings.json'), '{}', { mode: 0o644 });
    await chmod(folder, 0o755);
    await ensureDataFolder(folder);
    const modeOf = async (name: string) => (await stat(join(folder, name))).mode & 0o777;
    expect(await Promise.all(['objects', 'cache', 'tmp'].map(modeOf))).toEqual([0o700, 0o700, 0o700]);
    expect(await modeOf('settings.json')).toBe(0o600);
    // As root, PostgreSQL runs as another user, which needs to traverse the folder.
    expect(await modeOf('.')).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('creates missing folders, and refuses what cannot be one with the reason', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fh-data-folder-'));
  try {
    await ensureDataFolder(join(folder, 'a', 'b', 'c'));
    expect((await stat(join(folder, 'a', 'b', 'c'))).isDirectory()).toBe(true);
    await writeFile(join(folder, 'file'), '');
    await expect(ensureDataFolder(join(folder, 'file'))).rejects.toThrow('EEXIST');
    await expect(ensureDataFolder(join(folder, 'file', 'x'))).rejects.toThrow('ENOTDIR');
    // Here `mkdir` of Node with `recursive` never ends, and takes a whole core.
    await expect(ensureDataFolder('/proc/figurehead/data')).rejects.toThrow('is not writable');
  } finally {
    await rm(folder, { recursive: true });
  }
});
