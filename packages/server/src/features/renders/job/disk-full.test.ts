import { readdir } from 'node:fs/promises';
import { afterAll, expect, it } from 'vitest';
import { openTestApi } from '../../../../../../tests/support/api.js';
import { mountSmallDisk } from '../../../../../../tests/support/small-disk.js';
import { createEngine } from '../../../roles/engine.js';
import { createReview } from '../../moderation/index.js';
import { workOnRenders } from './index.js';

const disk = mountSmallDisk('96k');
afterAll(() => disk?.close());

it.runIf(disk)(
  'a disk that fills up during a render is reported, no files are left, and with space it works',
  async () => {
    const api = await openTestApi({ FIGUREHEAD_DATA: disk!.dataDir, FIGUREHEAD_DISK_RESERVE_MB: '0' });
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
    const expectNothingLeft = () => expect.poll(() => readdir(disk!.folder)).toEqual([]);
    expect(await end()).toMatchObject({
      status: 'error',
      error: expect.stringContaining('the disk of the server is full'),
    });
    await expectNothingLeft();
    disk!.resize('64m');
    expect((await end()).status).toBe('ready');
    await expectNothingLeft();
    await api.close();
  },
);
