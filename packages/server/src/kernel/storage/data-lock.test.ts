import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockDataFolder } from './data-lock.js';
import { startOf } from './processes.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the lock on a data folder', () => {
  test('is held by one server, which is named to the next', async () => {
    const first = await lockDataFolder(folder, 'server');
    expect(first).toMatchObject({ locked: true, wasLeft: false });
    expect(await lockDataFolder(folder, 'server')).toMatchObject({
      locked: false,
      holder: { pid: process.pid, kind: 'server' },
    });
    if (first.locked) await first.release();
    expect(await readdir(folder)).toEqual([]);
    expect(await lockDataFolder(folder, 'server')).toMatchObject({ locked: true });
  });

  test('goes to exactly one of many concurrent processes, also when a dead process left it', async () => {
    const dead = spawn('true');
    await new Promise((resolve) => dead.once('exit', resolve));
    await writeFile(join(folder, 'lock'), JSON.stringify({ kind: 'server', pid: dead.pid, start: '1' }));
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => lockDataFolder(folder, 'server')));
    expect(outcomes.filter((outcome) => outcome.locked)).toHaveLength(1);
    expect(await readdir(folder)).toEqual(['lock']);
  });

  test('does not mistake another program with the same process id for its holder', async () => {
    await writeFile(
      join(folder, 'lock'),
      JSON.stringify({ kind: 'server', pid: process.pid, start: `${await startOf(process.pid)}0` }),
    );
    expect(await lockDataFolder(folder, 'server')).toMatchObject({ locked: true, wasLeft: true });
  });

  test('makes the next process wait when a command holds it', async () => {
    const command = await lockDataFolder(folder, 'command');
    const server = lockDataFolder(folder, 'server');
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (command.locked) await command.release();
    expect(await server).toMatchObject({ locked: true });
  });
});
