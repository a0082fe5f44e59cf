import { fileURLToPath } from 'node:url';
import { compiledUrl } from '@figurehead/media';
import workerpool from 'workerpool';
import type { Lifecycle } from '../../kernel/contract.js';
import { overloaded } from '../../kernel/errors.js';
import { FairSemaphore } from '../../kernel/fair-semaphore.js';
import { currentContext } from '../../kernel/observability/call-context.js';
import type { Brief, ChapterDraft, Writer } from './contract.js';
import { createExtractiveWriter } from './extractive-writer.js';

/** Shorter sources take a few milliseconds, so that a thread would not help; characters. */
const SHORT_SOURCE = 10_000;
/** Two cores write while the API keeps running; a million characters take about a second. */
const POOL: ThreadLimits = { most: 2, deadlineMs: 20_000, mostWaiting: 40 };

interface ThreadLimits {
  /** Number of threads; if there are several, one is always left to other workspaces. */
  readonly most: number;
  /** Limit of the wait, and also of the work. */
  readonly deadlineMs: number;
  /** Maximum waiting calls of one workspace. */
  readonly mostWaiting: number;
}

/** The extractive writer, which uses threads for long sources. @param limits of the threads. */
export function createThreadedWriter(lifecycle: Pick<Lifecycle, 'onClose'>, limits: ThreadLimits = POOL): Writer {
  const here = createExtractiveWriter();
  const threads = openThreads(limits);
  lifecycle.onClose('outline threads', threads.close);
  const isShort = ({ source }: Brief) => (source?.length ?? 0) <= SHORT_SOURCE;
  return {
    chapters: (brief, count, signal) =>
      isShort(brief)
        ? here.chapters(brief, count, signal)
        : threads.run<ChapterDraft[]>('chapters', [plain(brief), count], signal),
    script: (brief, chapters, index, signal) =>
      isShort(brief)
        ? here.script(brief, chapters, index, signal)
        : threads.run<string>('script', [plain(brief), chapters, index], signal),
  };
}

/** Only the fields that a writer reads; the caller's row has more. */
function plain({ title, prompt, source, language }: Brief): Brief {
  return { title, prompt, source, language };
}

/**
 * Threads that start on demand. Workspaces take turns (`CallContext.workspaceId`). `run` throws `overloaded` when the wait or the work misses the
 * deadline or too many calls of the workspace wait, and the signal's reason on abort; running work is terminated with its thread.
 */
function openThreads({ most, deadlineMs, mostWaiting }: ThreadLimits) {
  const pool = workerpool.pool(fileURLToPath(compiledUrl('./extractive-thread.js', import.meta.url)), {
    workerType: 'thread',
    maxWorkers: most,
    workerTerminateTimeout: 0,
  });
  const turns = { perWorkspace: Math.max(1, most - 1), waitingPerWorkspace: mostWaiting, waitMs: deadlineMs };
  const semaphore = new FairSemaphore({ atOnce: most, ...turns }, overloaded);
  async function perform<Result>(name: string, args: readonly unknown[], signal?: AbortSignal): Promise<Result> {
    const task = pool.exec(name, [...args]);
    const cancel = () => void task.cancel();
    const timer = setTimeout(cancel, deadlineMs);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return (await task) as Result;
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof workerpool.Promise.CancellationError ? overloaded() : error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    }
  }
  return {
    run: <Result>(name: string, args: readonly unknown[], signal?: AbortSignal) =>
      semaphore.run(currentContext().workspaceId ?? '', () => perform<Result>(name, args, signal), signal),
    close: async () => void (await pool.terminate(true)),
  };
}
