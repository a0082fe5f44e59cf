import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../bin/figurehead.js', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-render-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('a render reports a signal to any of its processes, and leaves no files', async () => {
  const slide = { id: 1, duration: 600, avatar: { code: 'ava' } };
  await writeFile(join(folder, 'long.json'), JSON.stringify({ slides: [slide], data: { resolution: '720p' } }));
  const temporary = join(folder, 'temporary');
  await mkdir(temporary);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const args = [PROGRAM, 'render', join(folder, 'long.json'), '-o', join(folder, 'long.mp4'), '--json'];
    // A separate process group, because a terminal signals all processes of a group.
    const child = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: temporary }, detached: true });
    const [said, ended] = [text(child.stderr), once(child, 'exit')];
    await expect.poll(() => readdir(temporary)).not.toEqual([]);
    if (signal === 'SIGINT') process.kill(-child.pid!, signal);
    else child.kill(signal);
    expect(await ended).toEqual([1, null]);
    expect(await said).toContain('The rendering was interrupted; nothing was written.');
    expect(await readdir(temporary)).toEqual([]);
  }
  expect(await readdir(folder)).toEqual(['long.json', 'temporary']);
});

it('a render warns about what differs from the document', async () => {
  const object = { type: 'textbox', text: 'Hello', fontFamily: 'Nonsense' };
  const slide = { id: 1, duration: 0.2, canvas: { objects: [object, { type: 'hologram' }] } };
  const file = join(folder, 'odd.json');
  await writeFile(file, JSON.stringify({ slides: [slide], data: { resolution: '720p' } }));
  const child = spawn(process.execPath, [PROGRAM, 'render', file, '-o', join(folder, 'odd.mp4'), '--json']);
  const [said, ended] = [text(child.stderr), once(child, 'exit')];
  expect(await ended).toEqual([0, null]);
  const warnings = (await said).split('\n').filter((line) => line.startsWith('Warning: '));
  expect(warnings).toContain(
    'Warning: slides[0].canvas.objects[0].fontFamily: the font "Nonsense" is not available; Inter is used instead',
  );
  expect(warnings.some((line) => line.includes('hologram'))).toBe(true);
});
