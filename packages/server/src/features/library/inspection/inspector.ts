import { compiledUrl } from '@figurehead/media/basic';
import type { Lifecycle } from '../../../kernel/contract.js';
import { invalidFields } from '../../../kernel/errors.js';
import { deathOf, ProcessPool } from '../../../kernel/workers/process-pool.js';

/** Job for an uploaded file. */
export type InspectionJob =
  | { readonly kind: 'media'; readonly file: string; readonly folder: string }
  | { readonly kind: 'transcode'; readonly file: string; readonly out: string; readonly type: 'video' | 'audio' }
  | { readonly kind: 'sound'; readonly file: string; readonly out: string }
  | { readonly kind: 'font'; readonly file: string; readonly out: string };

/** Inspects uploaded files in isolated processes. */
export interface Inspector {
  /**
   * Throws a 400 on `file` when the file is refused or crashes its process, a 429 when too many files of the workspace
   * wait.
   */
  inspect<T>(job: InspectionJob, options: { readonly workspaceId: string; readonly signal?: AbortSignal }): Promise<T>;
}

/** Generous for a valid file: a 100-megapixel picture takes about 5 s. */
const SECONDS = 45;

/** Program of the processes that inspect and convert files. */
export const INSPECTION_PROGRAM = compiledUrl('./inspection-process.js', import.meta.url);

/** Creates the inspector of one API process; the lifecycle ends its processes. */
export function createInspector({ lifecycle }: { readonly lifecycle: Lifecycle }): Inspector {
  const pool = new ProcessPool({
    program: INSPECTION_PROGRAM,
    processes: 2,
    heapMb: 768,
    memoryMb: 1500,
    // Measured: 92 MB after 200 small pictures, 133 MB after 100 fonts more.
    recycle: { jobs: 100, memoryMb: 400 },
    idleMs: 60_000,
    // One process is always left for other workspaces. A request waits at most 15 s for its turn.
    turns: { perWorkspace: 1, waitingPerWorkspace: 100, waitMs: 15_000 },
  });
  lifecycle.onClose('inspector', () => pool.close());
  return {
    async inspect<T>(job: InspectionJob, options: { workspaceId: string; signal?: AbortSignal }) {
      const outcome = await pool.run<T>(job, { ...options, seconds: SECONDS });
      if (outcome.kind === 'done') return outcome.value;
      const message =
        outcome.kind === 'refused' ? `is not accepted: ${outcome.refusal}` : deathOf(outcome.reason, SECONDS);
      throw invalidFields([{ field: 'file', message }]);
    },
  };
}
