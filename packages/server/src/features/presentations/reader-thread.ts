import { parentPort, workerData } from 'node:worker_threads';
import { openArchive } from './archive.js';
import type { Deck } from './deck.js';
import { inspectPresentation } from './inspection.js';
import { readOdp } from './odp.js';
import { openPdf, type Pdf } from './pdf.js';
import { readPptx } from './pptx.js';
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
      return readDeck(order.kind);
    case 'pages':
      pdf ??= openPdf(path);
      return (await pdf).pages;
    case 'size':
      pdf ??= openPdf(path);
      return (await pdf).size(order.page);
    case 'draw':
      pdf ??= openPdf(path);
      return (await pdf).draw(order.page, order.room);
    case 'part':
      return readPart(order.name);
  }
}

async function readDeck(kind: 'pptx' | 'odp'): Promise<Deck> {
  const archive = await openArchive(path);
  try {
    return await (kind === 'odp' ? readOdp(archive) : readPptx(archive));
  } finally {
    archive.close();
  }
}

async function readPart(name: string): Promise<Buffer | undefined> {
  const archive = await openArchive(path);
  try {
    return await archive.read(name);
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
