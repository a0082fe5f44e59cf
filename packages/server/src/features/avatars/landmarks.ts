import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Landmarks, LandmarksInput } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { invalidFields } from '../../kernel/errors.js';
import { deathOf, ProcessPool } from '../../kernel/workers/process-pool.js';
import { PHOTO_PROGRAM, type PhotoJob } from './photo-program.js';
import { portraitBytes } from './portrait-upload.js';

/** Reading takes a second or two of one core. */
const SECONDS = 30;

/** Finds the points of a face in a workspace's portrait, in a separate process. */
export type FindLandmarks = (workspaceId: string, input: LandmarksInput, signal: AbortSignal) => Promise<Landmarks>;

/** Creates the finder of one API process. It throws a 400 on `image.data` for invalid pictures. */
export function createLandmarkFinder(kernel: Kernel): FindLandmarks {
  const pool = new ProcessPool({
    program: PHOTO_PROGRAM,
    processes: 2,
    heapMb: 768,
    memoryMb: 1000,
    recycle: { jobs: 20, memoryMb: 600 },
    idleMs: 60_000,
    turns: { perWorkspace: 1, waitingPerWorkspace: 20, waitMs: 15_000 },
  });
  kernel.lifecycle.onClose('landmark finder', () => pool.close());
  return async (workspaceId, { image, points }, signal) => {
    const bytes = await portraitBytes(image.data);
    return kernel.temporary.within('portrait-', async (folder) => {
      const file = join(folder, 'portrait');
      await writeFile(file, bytes);
      const job: PhotoJob = { kind: 'read', file, ...(points && { points }) };
      const outcome = await pool.run<Landmarks>(job, { workspaceId, seconds: SECONDS, signal });
      if (outcome.kind === 'done') return outcome.value;
      const message =
        outcome.kind === 'refused' ? `is not accepted: ${outcome.refusal}` : deathOf(outcome.reason, SECONDS);
      throw invalidFields([{ field: 'image.data', message }]);
    });
  };
}
