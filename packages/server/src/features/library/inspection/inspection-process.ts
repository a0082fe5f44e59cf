import { serveProcess } from '../../../kernel/workers/process-program.js';
import type { InspectionJob } from './inspector.js';
import { RefusedFile } from './refused-file.js';

// Program of the processes that inspect uploaded files. Input and output are files, named by the job.

serveProcess(
  async (job: InspectionJob): Promise<unknown> => {
    // Libraries are loaded by the first job that needs them.
    if (job.kind === 'font') return (await import('./font-inspection.js')).inspectFont(job);
    if (job.kind === 'media') return (await import('./media-inspection.js')).inspectMedia(job);
    if (job.kind === 'sound') return (await import('./sound-decoding.js')).decodeSound(job);
    return (await import('./transcoding.js')).transcode(job);
  },
  (error) => (error instanceof RefusedFile ? error.message : undefined),
);
