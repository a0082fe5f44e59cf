import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openTestApi } from '../../../../../../tests/support/api.js';
import { createEngine } from '../../../roles/engine.js';
import { createReview } from '../../moderation/index.js';
import { workOnRenders } from './index.js';

/** A separate small disk, which only root can create. */
const data = mkdtempSync(join(tmpdir(), 'fh-full-'));
const disk = join(data, 'tmp');
mkdirSync(disk);
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=96k', 'tmpfs', disk]).status === 0;
afterAll(() => {
  if (isMounted) execFileSync('umount', [disk]);
  rmSync(data, { recursive: true });
});

it.runIf(isMounted)(
  'a disk that fills up during a render is reported, no files are left, and with space it works',
  async () => {
    const api = await openTestApi({ FIGUREHEAD_DATA: data, FIGUREHEAD_DISK_RESERVE_MB: '0' });
    const { kernel } = api.test;
    const { pipeline } = createEngine(kernel);
    await workOnRenders(kernel, { pipeline, review: createReview() });
    const caller = await api.caller();
    const slide = { id: 1, speech: 'Hello there.', avatar: { code: 'nora' }, voice: 'slt', voiceProvider: 'flite' };
    const { body } = await caller.call('POST', '/videos', {
      name: 'full',
      slides: [slide],
      data: { resolution: '720p' },
    });
    const end = async () => {
      await caller.call('POST', `/videos/render/${body._id}`);
      for (;;) {
        const { body: video } = await caller.call('GET', `/videos/${body._id}`);
        if (video.status === 'ready' || video.status === 'error') return video;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    // The caller may see the end while the worker is still cleaning up.
    const expectNothingLeft = () => expect.poll(() => readdir(disk)).toEqual([]);
    expect(await end()).toMatchObject({
      status: 'error',
      error: expect.stringContaining('the disk of the server is full'),
    });
    await expectNothingLeft();
    execFileSync('mount', ['-o', 'remount,size=64m', disk]);
    expect((await end()).status).toBe('ready');
    await expectNothingLeft();
    await api.close();
  },
);
