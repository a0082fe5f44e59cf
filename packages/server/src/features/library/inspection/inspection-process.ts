import { serveProcess } from '../../../kernel/workers/process-program.js';
import type { InspectionJob } from './inspector.js';
import { RefusedFile } from './refused-file.js';

// The program of the processes that look into uploaded files. Reading and writing go by files: the job names them.

serveProcess(
  async (job: InspectionJob): Promise<unknown> => {
    // Libraries load with the first job that needs them, and stay.
    if (job.kind === 'font') return (await import('./font-inspection.js')).inspectFont(job);
    if (job.kind === 'media') return (await import('./media-inspection.js')).inspectMedia(job);
    return (await import('./transcoding.js')).transcode(job);
  },
  (error) => (error instanceof RefusedFile ? error.message : undefined),
);
