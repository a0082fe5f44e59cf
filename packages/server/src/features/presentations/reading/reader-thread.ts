import { workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '@figurehead/media/priority';
import workerpool from 'workerpool';
import { openPdf, type Pdf } from '../pdf/pdf.js';
import { openArchive } from './archive.js';
import { inspectPresentation } from './inspection.js';
import { PresentationProblem } from './problem.js';
import type { Reader, ReadReply } from './reader.js';
import { readTextInventory } from './text-inventory.js';

// Thread that parses untrusted files. It runs one task after the other and is terminated from outside.

/** Where threads have separate priorities (Linux), reading has a lower one than the event loop of the API. */
const NICENESS = 10;
lowerThreadPriority(NICENESS);

const { path } = workerData as { path: string };
let pdf: Promise<Pdf> | undefined;

const tasks: Omit<Reader, 'close'> = {
  inspect: () => inspectPresentation(path),
  textInventory: async () => readTextInventory(await openArchive(path)),
  part: async (name) => (await openArchive(path)).read(name),
  async draw(page, options) {
    pdf ??= openPdf(path);
    return (await pdf).draw(page, options);
  },
};

workerpool.worker({
  async read(task: keyof typeof tasks, options: unknown[]): Promise<ReadReply> {
    try {
      const perform: (...options: never[]) => Promise<unknown> = tasks[task];
      return { result: await perform(...(options as never[])) };
    } catch (error) {
      if (error instanceof PresentationProblem) return { problem: error.message };
      throw error;
    }
  },
});
