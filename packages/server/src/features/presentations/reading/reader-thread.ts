import { workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '@figurehead/media/priority';
import workerpool from 'workerpool';
import { readOdp } from '../odp/odp.js';
import { openPdf, type Pdf } from '../pdf/pdf.js';
import { readTextInventory } from '../pdf/text-inventory.js';
import { writeWordless } from '../pdf/wordless-deck.js';
import { readPptx } from '../pptx/pptx.js';
import { type Archive, openArchive } from './archive.js';
import type { Deck } from './deck.js';
import { inspectPresentation } from './inspection.js';
import { PresentationProblem } from './problem.js';
import type { ReadReply, Task } from './reader.js';

// Thread that parses untrusted files. It runs one task after the other and is terminated from outside.

/** Where threads have separate priorities (Linux), reading has a lower one than the event loop of the API. */
const NICENESS = 10;
lowerThreadPriority(NICENESS);

const { path } = workerData as { path: string };
let pdf: Promise<Pdf> | undefined;

async function perform(task: Task): Promise<unknown> {
  switch (task.task) {
    case 'inspect':
      return inspectPresentation(path);
    case 'deck':
      return withArchive<Deck>(task.kind === 'odp' ? readOdp : readPptx);
    case 'textInventory':
      return withArchive(readTextInventory);
    case 'silence':
      return withArchive((archive) => writeWordless(archive, task.kind, task.to));
    case 'pages':
      pdf ??= openPdf(path);
      return (await pdf).pages;
    case 'size':
      pdf ??= openPdf(path);
      return (await pdf).size(task.page);
    case 'draw':
      pdf ??= openPdf(path);
      return (await pdf).draw(task.page, task.room);
    case 'letters':
      pdf ??= openPdf(path);
      return (await pdf).letters(task.page, task.font);
    case 'part':
      return withArchive((archive) => archive.read(task.name));
  }
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
  async read(task: Task): Promise<ReadReply> {
    try {
      return { result: await perform(task) };
    } catch (error) {
      if (error instanceof PresentationProblem) return { problem: error.message };
      throw error;
    }
  },
});
