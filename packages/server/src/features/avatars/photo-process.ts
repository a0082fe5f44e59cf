import { readFile } from 'node:fs/promises';
import { makeFootagePack, makePhotoPack, PortraitRefused, readPortrait } from '@figurehead/media/photo';
import { serveProcess } from '../../kernel/workers/process-program.js';
import type { PhotoJob } from './photo-program.js';

// Program of the processes that read portraits and films.

serveProcess(
  async (job: PhotoJob): Promise<unknown> => {
    if (job.kind === 'film') return makeFootagePack(job.file, job.options);
    const bytes = await readFile(job.file);
    if (job.kind === 'read') return readPortrait(bytes, job.points);
    return makePhotoPack(bytes, job.options);
  },
  (error) => (error instanceof PortraitRefused ? error.message : undefined),
);
