import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Landmarks } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { invalidFields } from '../../kernel/http/error.js';
import { createTurnstile, runDisposable } from '../library/index.js';
import { PHOTO_PROGRAM } from './photo-program.js';
import { portraitBytes } from './portrait-upload.js';

/** Portraits that one process looks at at a time; more wait. */
const AT_ONCE = 2;

/** Looking takes a second or two of one core. */
const LIMITS = { seconds: 30, memoryMb: 1000 } as const;

const DEATHS = {
  crash: 'is damaged: it could not be read',
  time: `takes longer than ${LIMITS.seconds} s to read`,
  memory: 'takes too much memory to read',
} as const;

/** Finds the points of a face in a portrait, in a process of its own. */
export type FindLandmarks = (dataUrl: string, signal: AbortSignal) => Promise<Landmarks>;

/** Makes the finder of one API process. It throws a 400 on `image.data` for what is no picture. */
export function createLandmarkFinder(kernel: Kernel): FindLandmarks {
  const turnstile = createTurnstile(AT_ONCE);
  return async (dataUrl, signal) => {
    const bytes = portraitBytes(dataUrl);
    return turnstile(async () => {
      signal.throwIfAborted();
      const folder = await kernel.temporary.open('portrait-');
      try {
        const file = join(folder, 'portrait');
        await writeFile(file, bytes);
        const job = { kind: 'read', file };
        const outcome = await runDisposable<Landmarks>(job, { ...LIMITS, signal, program: PHOTO_PROGRAM });
        if (outcome.kind === 'done') return outcome.value;
        const message = outcome.kind === 'refused' ? `is not accepted: ${outcome.message}` : DEATHS[outcome.reason];
        throw invalidFields([{ field: 'image.data', message }]);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  };
}
