import { parentPort, workerData } from 'node:worker_threads';
import { readOdp } from '../odp/odp.js';
import { readLettering } from '../pdf/lettering.js';
import { openPdf, type Pdf } from '../pdf/pdf.js';
import { writeWordless } from '../pdf/wordless-deck.js';
import { readPptx } from '../pptx/pptx.js';
import { type Archive, openArchive } from './archive.js';
import type { Deck } from './deck.js';
import { inspectPresentation } from './inspection.js';
import { PresentationProblem } from './problem.js';
import type { Order, Reply } from './reader.js';

// The thread in which strangers' files are parsed. It answers one order after the other and is ended from outside.

const { path } = workerData as { path: string };
let pdf: Promise<Pdf> | undefined;

async function perform(order: Order): Promise<unknown> {
  switch (order.task) {
    case 'inspect':
      return inspectPresentation(path);
    case 'deck':
      return withArchive<Deck>(order.kind === 'odp' ? readOdp : readPptx);
    case 'lettering':
      return withArchive(readLettering);
    case 'silence':
      return withArchive((archive) => writeWordless(archive, order.kind, order.to));
    case 'pages':
      pdf ??= openPdf(path);
      return (await pdf).pages;
    case 'size':
      pdf ??= openPdf(path);
      return (await pdf).size(order.page);
    case 'draw':
      pdf ??= openPdf(path);
      return (await pdf).draw(order.page, order.room);
    case 'letters':
      pdf ??= openPdf(path);
      return (await pdf).letters(order.page, order.font);
    case 'part':
      return withArchive((archive) => archive.read(order.name));
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

parentPort?.on('message', (order: Order) => {
  perform(order).then(
    (result) => parentPort?.postMessage({ id: order.id, result } satisfies Reply),
    (error: unknown) => {
      const known = error instanceof PresentationProblem;
      const message = error instanceof Error ? `${error.stack}` : String(error);
      const reply: Reply = known ? { id: order.id, problem: error.message } : { id: order.id, failure: message };
      parentPort?.postMessage(reply);
    },
  );
});
