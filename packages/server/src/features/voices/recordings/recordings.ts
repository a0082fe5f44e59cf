import { join } from 'node:path';
import type { RecordedOptions, SpeechTrack } from '@figurehead/media';
import { compiledUrl } from '@figurehead/media/basic';
import type { Kernel } from '../../../kernel/contract.js';
import { invalidFields } from '../../../kernel/errors.js';
import { deathOf, ProcessPool } from '../../../kernel/workers/process-pool.js';
import { isMediumRefusal, mediaSourcesOf, openMediaSources } from '../../library/offline.js';
import type { RecordingJob } from './recording-process.js';

/** A recording of a slide, with its language and script. */
interface RecordingRequest extends Omit<RecordedOptions, 'signal'> {
  /** Its URL in a document of the workspace. */
  readonly src: string;
}

/** Reads recordings on request, in a separate process. */
export interface Recordings {
  /**
   * The speech of a recording, as used for rendering. Throws a 400 for an unusable recording, a 429 when too many of
   * the workspace wait.
   * @param onSound gets the path of the sound as a WAV file, which is removed afterwards.
   */
  read(
    workspaceId: string,
    request: RecordingRequest,
    options: { readonly signal?: AbortSignal; readonly onSound?: (file: string) => Promise<void> },
  ): Promise<SpeechTrack>;
}

/** The longest recording with a script takes 100 s on one processor of a server. */
const SECONDS = 300;

/** Reads recordings in a process that starts with the first one. The kernel's lifecycle ends it. */
export function createRecordings(kernel: Kernel): Recordings {
  const pool = new ProcessPool({
    program: compiledUrl('./recording-process.js', import.meta.url),
    processes: 1,
    heapMb: 768,
    // 20 minutes are 230 MB of samples, which exist three times while the loudness is changed.
    memoryMb: 2000,
    recycle: { jobs: 100, memoryMb: 600 },
    idleMs: 60_000,
    turns: { perWorkspace: 1, waitingPerWorkspace: 16, waitMs: 60_000 },
  });
  kernel.lifecycle.onClose('recordings', () => pool.close());
  return {
    read: (workspaceId, { src, ...wanted }, { signal = AbortSignal.timeout(SECONDS * 1000), onSound }) =>
      kernel.temporary.within('recording-', async (folder) => {
        const assets = openMediaSources(mediaSourcesOf(kernel, workspaceId), { folder, signal });
        const file = await assets.file(src).catch((error: unknown) => {
          if (!isMediumRefusal(error)) throw error;
          const message = `the recording cannot be used: ${error.message}`;
          throw invalidFields([{ field: 'recording.src', message }]);
        });
        const job: RecordingJob = { ...wanted, file, out: join(folder, 'speech.wav') };
        const outcome = await pool.run<SpeechTrack>(job, { workspaceId, seconds: SECONDS, signal });
        if (outcome.kind !== 'done') {
          const message =
            outcome.kind === 'refused' ? outcome.refusal : `the recording ${deathOf(outcome.reason, SECONDS)}`;
          throw invalidFields([{ field: 'recording', message }]);
        }
        await onSound?.(job.out);
        return outcome.value;
      }),
  };
}
