import { workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '@figurehead/media/priority';
import workerpool from 'workerpool';
import { readOdp } from '../odp/odp.js';
import { openPdf, type Pdf } from '../pdf/pdf.js';
import { readTextInventory } from '../pdf/text-inventory.js';
import { readPptx } from '../pptx/pptx.js';
import { type Archive, openArchive } from './archive.js';
import type { Deck } from './deck.js';
import { inspectPresentation } from './inspection.js';
import { PresentationProblem } from './problem.js';
import type { ReadReply, Tasks } from './reader.js';

// Thread that parses untrusted files. It runs one task after the other and is terminated from outside.

/** Where threads have separate priorities (Linux), reading has a lower one than the event loop of the API. */
const NICENESS = 10;
lowerThreadPriority(NICENESS);

const { path } = workerData as { path: string };
let pdf: Promise<Pdf> | undefined;

const tasks: Tasks = {
  inspect: () => inspectPresentation(path),
  deck: (kind) => withArchive<Deck>(kind === 'odp' ? readOdp : readPptx),
  textInventory: () => withArchive(readTextInventory),
  pages: async () => (await opened()).pages,
  size: async (page) => (await opened()).size(page),
  draw: async (page, options) => (await opened()).draw(page, options),
  part: (name) => withArchive((archive) => archive.read(name)),
};

function opened(): Promise<Pdf> {
  pdf ??= openPdf(path);
  return pdf;
}

async function withArchive<T>(read: (archive: Archive) => Promise<T>): Promise<T> {
  const archive = await openArchive(path);
  try {
    return await read(archive);
  } finally {
    archive.close();
  }
}

workerpool.worker({
  async read(task: keyof Tasks, options: unknown[]): Promise<ReadReply> {
    try {
      const perform: (...options: never[]) => Promise<unknown> = tasks[task];
      return { result: await perform(...(options as never[])) };
    } catch (error) {
      if (error instanceof PresentationProblem) return { problem: error.message };
      throw error;
    }
  },
});
