import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLifecycle } from '../lifecycle.js';
import { createTemporaryFolders } from './temporary-folders.js';

const COMPILED = new URL('../../../dist/kernel/', import.meta.url);

let dataDir: string;
let lifecycle: ReturnType<typeof createLifecycle>;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'fh-temporary-'));
  lifecycle = createLifecycle(() => undefined);
});
afterEach(async () => {
  await lifecycle.close();
  await rm(dataDir, { recursive: true });
});

const ours = () => createTemporaryFolders({ dataDir, lifecycle });
const folders = async () => (await readdir(join(dataDir, 'tmp'))).sort();
const signs = () => readdir(join(dataDir, 'run'));

/** Another process that opens a folder and waits. */
async function other(): Promise<{ folder: string; kill(): Promise<void> }> {
  const script = `
    const { createTemporaryFolders } = await import('${pathToFileURL(join(COMPILED.pathname, 'storage/temporary-folders.js')).href}');
    const folders = createTemporaryFolders({ dataDir: process.argv[1], lifecycle: { onClose: () => undefined } });
    console.log(await folders.open('render-1-'));
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    folder: line.toString().trim(),
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

it('of a killed process are removed by the next sweep; those of running processes stay', async () => {
  const [dead, alive] = [await other(), await other()];
  const own = await ours().open('upload-');
  await writeFile(join(dead.folder, 'video.mp4'), 'half');
  expect(await ours().sweep()).toEqual([]);
  await dead.kill();
  expect(await ours().sweep()).toEqual([basename(dead.folder)]);
  expect(await folders()).toEqual([basename(alive.folder), basename(own)].sort());
  expect(await signs()).toHaveLength(2);
  await alive.kill();
});

it('of an earlier process with the same id are removed', async () => {
  const mine = basename(await ours().open('render-2-'));
  const earlier = mine.replace(/\.[0-9a-f]{8}\./, '.00000000.');
  await mkdir(join(dataDir, 'tmp', earlier));
  expect(await ours().sweep()).toEqual([earlier]);
  expect(await folders()).toEqual([mine]);
});

it('of another container stay while it sends heartbeats, regardless of our process ids', async () => {
  const mine = await ours().open('render-3-');
  const names = ['11111111', '22222222', '33333333'].map((space) => `999999.00000000.${space}`);
  for (const name of names) await mkdir(join(dataDir, 'tmp', `render-4-0~${name}`));
  const [fresh = '', old = ''] = names;
  await writeFile(join(dataDir, 'run', fresh), '1');
  await writeFile(join(dataDir, 'run', old), '1');
  const tenMinutesAgo = Date.now() / 1000 - 600;
  await utimes(join(dataDir, 'run', old), tenMinutesAgo, tenMinutesAgo);
  await mkdir(join(dataDir, 'tmp', 'render-of-an-older-program'));
  await ours().sweep();
  expect(await folders()).toEqual([basename(mine), `render-4-0~${fresh}`, 'render-of-an-older-program'].sort());
});

it('end with their heartbeat when the process closes', async () => {
  const folder = await ours().open('upload-');
  await rm(folder, { recursive: true });
  await lifecycle.close();
  expect([await folders(), await signs()]).toEqual([[], []]);
});
