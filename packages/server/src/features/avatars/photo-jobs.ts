import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { namesOf } from '@figurehead/contract/document/table';
import type { Job, Kernel } from '../../kernel/contract.js';
import { QUEUES } from '../../kernel/jobs/definitions.js';
import { ProcessPool } from '../../kernel/workers/process-pool.js';
import { PICTURES } from './catalogue.js';
import { donorFolders } from './donors.js';
import { deleteFootage, openFootage, openPhotoPacks, photoPrefix } from './photo-packs.js';
import { type MadePhotoPack, PHOTO_PROGRAM, type PhotoJob } from './photo-program.js';
import * as store from './photo-store.js';
import { createPortraits } from './portraits.js';

/** Queue of portraits and films. */
export const PHOTO_QUEUE = 'avatars';

/** Data of a job. */
export interface PhotoAvatarJob {
  readonly avatarId: string;
}

/** The last attempt only reports that the others failed. */
const ATTEMPTS = QUEUES.avatars.attempts;

/** Creating a presenter from a portrait takes a few seconds and 400 MB, from a film one to two minutes and 900 MB. */
const SECONDS = { portrait: 120, film: 1200 } as const;

const DEATHS = {
  crash: () => 'The file could not be read.',
  time: (seconds: number) => `The presenter could not be created within ${seconds} s.`,
  memory: () => 'The file takes too much memory to read.',
} as const;

/** Creates presenters from portraits and films, one at a time, until the kernel closes. */
export async function workOnAvatars(kernel: Kernel): Promise<void> {
  const pool = new ProcessPool({
    program: PHOTO_PROGRAM,
    processes: 1,
    heapMb: 768,
    memoryMb: 1800,
    // Portraits are rare, so a process ends after its job.
    recycle: { jobs: 1, memoryMb: 0 },
    idleMs: 0,
    turns: { perWorkspace: 1, waitingPerWorkspace: 1, waitMs: 60_000 },
  });
  const options = { concurrency: 1, ready: () => kernel.disk.hasSpace() };
  await kernel.queue.work<PhotoAvatarJob>(PHOTO_QUEUE, options, (job) => makeAvatar(kernel, pool, job));
}

async function makeAvatar(kernel: Kernel, pool: ProcessPool, job: Job<PhotoAvatarJob>): Promise<void> {
  const row = await store.photoAvatars.find(kernel.db, job.data.avatarId);
  // Deleted while it waited, or finished by a worker that died before reporting it.
  if (row === undefined || row.status !== 'processing') return;
  const fail = (error: string): Promise<void> =>
    end(kernel, row, { status: 'error', error, version: null, background: row.background });
  if (job.attempt >= ATTEMPTS) return fail(`The job was interrupted ${ATTEMPTS - 1} times and was abandoned.`);
  const started = performance.now();
  return kernel.temporary.within('avatar-', async (folder) => {
    const file = join(folder, 'source');
    const source = await (row.footageId === null ? kernel.objects.get(portraitKey(row)) : openFootage(kernel, row));
    if (source === undefined) {
      return await fail(`The ${row.footageId === null ? 'portrait' : 'video'} no longer exists. Upload it again.`);
    }
    await pipeline(source.body, createWriteStream(file), { signal: job.signal });
    const pack = join(folder, 'pack');
    const task: PhotoJob = {
      kind: row.footageId === null ? 'make' : 'film',
      file,
      options: {
        folder: pack,
        name: row.id,
        donors: await donorFolders(row.gender),
        ...(row.points === null ? {} : { points: row.points }),
        ...(row.background === null ? {} : { background: row.background }),
      },
    };
    const { workspaceId } = row;
    const seconds = row.footageId === null ? SECONDS.portrait : SECONDS.film;
    const outcome = await pool.run<MadePhotoPack>(task, { workspaceId, seconds, signal: job.signal });
    if (outcome.kind !== 'done') {
      const message = outcome.kind === 'refused' ? outcome.refusal : DEATHS[outcome.reason](seconds);
      kernel.log.info({ avatarId: row.id, outcome: outcome.kind }, message);
      return await fail(message);
    }
    await putPictures(kernel, row, { pack, folder });
    const version = await openPhotoPacks(kernel).store(row, pack);
    await end(kernel, row, { status: 'ready', error: null, version, background: outcome.value.background });
    kernel.log.info({ avatarId: row.id, ms: Math.round(performance.now() - started) }, 'a photo avatar was created');
  });
}

/** The same pictures as of every presenter, stored as objects, because only this workspace may see them. */
async function putPictures(
  kernel: Kernel,
  row: store.PhotoAvatarRow,
  { pack, folder }: { pack: string; folder: string },
): Promise<void> {
  const portraits = createPortraits(join(folder, 'pictures'));
  try {
    for (const kind of namesOf(PICTURES)) {
      const { path, mediaType } = PICTURES[kind];
      const file = await portraits[kind]({ folder: pack, version: row.id });
      await kernel.objects.putFile(`${photoPrefix(row)}${path}`, file, mediaType);
    }
  } finally {
    await portraits.close();
  }
}

async function end(
  kernel: Kernel,
  row: store.PhotoAvatarRow,
  how: Pick<store.PhotoAvatarRow, 'status' | 'error' | 'version' | 'background'>,
): Promise<void> {
  const isOurs = await store.endPhotoAvatar(kernel.db, row.id, { ...how, updatedAt: new Date(kernel.clock.now()) });
  if (isOurs) {
    await kernel.objects.delete(portraitKey(row));
    await deleteFootage(kernel, row);
  }
  // Deleted meanwhile: its objects were deleted before these were stored.
  else if ((await store.photoAvatars.find(kernel.db, row.id)) === undefined) {
    await kernel.objects.deletePrefix(photoPrefix(row));
  }
}

function portraitKey(row: store.PhotoAvatarRow): string {
  return `${photoPrefix(row)}portrait`;
}
