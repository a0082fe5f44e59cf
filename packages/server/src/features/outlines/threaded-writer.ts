import { compiledUrl } from '@figurehead/media';
import type { Lifecycle } from '../../kernel/contract.js';
import { openThreads } from '../../kernel/jobs/threads.js';
import type { Brief, ChapterDraft, Writer } from './contract.js';
import { createExtractiveWriter } from './extractive-writer.js';

/** Shorter sources take a few milliseconds, so that a thread would not help; characters. */
const SHORT_SOURCE = 10_000;
/** Two cores write while the API keeps running; a million characters take about a second. */
const POOL = { most: 2, deadlineMs: 20_000, mostWaiting: 40 } as const;

/** The extractive writer, which uses threads for long sources. */
export function createThreadedWriter(lifecycle: Pick<Lifecycle, 'onClose'>): Writer {
  const here = createExtractiveWriter();
  const threads = openThreads(compiledUrl('./extractive-thread.js', import.meta.url), POOL);
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
