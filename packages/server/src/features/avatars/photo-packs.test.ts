import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestKernel, type TestKernel } from '../../../../../tests/support/kernel.js';
import { createWorkspace } from '../workspaces/index.js';
import { deletePhotoAvatar } from './photo-avatars.js';
import { openPhotoPacks } from './photo-packs.js';
import { type PhotoAvatarRow, photoAvatars } from './photo-store.js';

let test: TestKernel;
let pack: string;
let workspaceId: string;
beforeAll(async () => {
  test = await openTestKernel();
  pack = await mkdtemp(join(tmpdir(), 'fh-pack-'));
  await writeFile(join(pack, 'base.webp'), Buffer.alloc(300_000, 1));
  await writeFile(join(pack, 'manifest.json'), '{}');
  ({ _id: workspaceId } = await createWorkspace(test.kernel, { name: 'Packs', plan: 'Team', minutes: 1 }));
});
afterAll(async () => {
  await rm(pack, { recursive: true });
  await test.close();
});

async function readyAvatar(): Promise<PhotoAvatarRow> {
  const { kernel } = test;
  const now = new Date();
  const row: PhotoAvatarRow = {
    ...{ id: kernel.ids.next(), workspaceId, name: 'Anna', gender: 'female', status: 'ready', error: null },
    ...{ points: null, footageId: null, background: null, version: null },
    ...{
      consentStatement: 'yes',
      consentGivenBy: 'Anna',
      consentGivenAt: now,
      drawnByViewers: false,
      createdAt: now,
      updatedAt: now,
    },
  };
  const version = await openPhotoPacks(kernel).store(row, pack);
  await kernel.transaction((tx) => photoAvatars.insert(tx, { ...row, version }));
  return { ...row, version };
}

const cached = () => readdir(join(test.kernel.config.dataDir, 'cache', 'avatars'));

it('the pack of an avatar that is deleted while it is downloaded is unknown, and leaves no files', async () => {
  const { kernel } = test;
  const row = await readyAvatar();
  let begun = (): void => undefined;
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let isDeleted = Promise.resolve<unknown>(undefined);
  const get: typeof kernel.objects.get = async (key) => {
    const object = await kernel.objects.get(key);
    if (object === undefined) return undefined;
    const bytes = await buffer(object.body);
    async function* slowly() {
      yield bytes.subarray(0, 100_000);
      begun();
      await isDeleted;
      yield bytes.subarray(100_000);
    }
    return { ...object, body: Readable.from(slowly()) };
  };
  const packs = openPhotoPacks({ ...kernel, objects: { ...kernel.objects, get } });
  const opened = packs.open(row).catch((error: unknown) => error);
  isDeleted = isBegun.then(() => deletePhotoAvatar(kernel, row));
  await expect(isDeleted).resolves.toMatchObject({ deleted: true });
  expect(String(await opened)).toContain(`There is no avatar "${row.id}".`);
  expect(await cached()).toEqual([]);
});

it('a pack whose objects are deleted is unknown when its avatar is, and an error otherwise', async () => {
  const { kernel } = test;
  const row = await readyAvatar();
  await kernel.objects.deletePrefix(`${workspaceId}/avatars/${row.id}/`);
  await expect(openPhotoPacks(kernel).open(row)).rejects.toThrow('is missing');
  await photoAvatars.delete(kernel.db, row.id);
  await expect(openPhotoPacks(kernel).open(row)).rejects.toThrow('There is no avatar');
});
