import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { MAX_SLIDES } from '@figurehead/contract';
import { openPdf } from '../pdf/pdf.js';
import { checkArchive, openArchive } from './archive.js';
import type { Deck } from './deck.js';
import { readOdp } from './odp.js';
import { readPptx } from './pptx.js';
import { PASSWORD_PROBLEM, PresentationProblem } from './problem.js';

/** Supported formats. */
export type PresentationKind = 'pptx' | 'odp' | 'ppt' | 'pdf';

/** Result of inspecting a file before its conversion. */
export interface Inspection {
  readonly kind: PresentationKind;
  /** Pages that are not hidden; null for a .ppt, which only LibreOffice reads. */
  readonly pages: number | null;
  readonly hidden: number;
  /** Size of the first page of a PDF, pt. */
  readonly first?: { readonly width: number; readonly height: number };
  /** Of a .pptx or .odp. */
  readonly deck?: Deck;
}

const TAKEN = 'A presentation is a .pptx, .ppt, .odp or .pdf file';

/** Largest PDF, bytes: it is in the memory of one thread, where WebAssembly has 2 GB. */
const MAX_PDF_BYTES = 300_000_000;

/** First bytes of a compound file (MS-CFB): an old office file, or an encrypted new one. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** Streams and storages of encrypted presentations. */
const ENCRYPTED = ['EncryptedPackage', '\u0006DataSpaces', 'EncryptedSummary'];

/** Other kinds of archives, by a part that only they contain. */
const OTHER_ARCHIVES: readonly (readonly [part: string, what: string])[] = [
  ['word/document.xml', 'a Word document'],
  ['xl/workbook.xml', 'an Excel workbook'],
  ['ppt/presentation.bin', 'a binary PowerPoint file'],
];

/** OpenDocument types that are presentations. */
const ODP_TYPE = /^application\/vnd\.oasis\.opendocument\.presentation(-template)?$/;

/**
 * Detects a file's type by its content, checks that it is complete and harmless, and reads what is not drawn. Throws
 * {@link PresentationProblem}. Runs in a thread, because parsers of untrusted files must not block the API.
 */
export async function inspectPresentation(path: string): Promise<Inspection> {
  const { size } = await stat(path);
  if (size === 0) throw new PresentationProblem('The file is empty.');
  const [head] = (await createReadStream(path, { end: 1023 }).toArray()) as [Buffer];
  if (head.subarray(0, 4).equals(Buffer.from('PK\x03\x04'))) return inspectArchive(path, size);
  if (head.includes('%PDF-')) return inspectPdf(path, size);
  if (head.subarray(0, 8).equals(COMPOUND_FILE)) return inspectCompoundFile(path);
  throw new PresentationProblem(`${TAKEN}; this one is of another type.`);
}

async function inspectArchive(path: string, size: number): Promise<Inspection> {
  const archive = await openArchive(path);
  await checkArchive(archive, size);
  const type = (await archive.read('mimetype'))?.subarray(0, 200).toString('latin1').trim();
  const kind = type === undefined ? 'pptx' : 'odp';
  if (type !== undefined && !ODP_TYPE.test(type)) {
    throw new PresentationProblem(`${TAKEN}; this one declares the type ${JSON.stringify(type)}.`);
  }
  const isOther = kind === 'pptx' && !archive.names.includes('[Content_Types].xml');
  const other = OTHER_ARCHIVES.find(([part]) => archive.names.includes(part))?.[1];
  if (isOther || other !== undefined) {
    throw new PresentationProblem(`${TAKEN}; this one is ${other ?? 'another kind of archive'}.`);
  }
  const deck = await (kind === 'odp' ? readOdp : readPptx)(archive);
  const pages = deck.pages.filter((page) => !page.hidden).length;
  const hidden = deck.pages.length - pages;
  requirePageCount(pages, hidden);
  return { kind, pages, hidden, deck };
}

async function inspectPdf(path: string, size: number): Promise<Inspection> {
  if (size > MAX_PDF_BYTES) {
    const [most, megabytes] = [MAX_PDF_BYTES / 1e6, Math.ceil(size / 1e6)];
    throw new PresentationProblem(`A PDF may have at most ${most} MB; this one has ${megabytes} MB.`);
  }
  const pdf = await openPdf(path);
  requirePageCount(pdf.pages);
  const first = pdf.size();
  pdf.close();
  return { kind: 'pdf', pages: pdf.pages, hidden: 0, first };
}

async function inspectCompoundFile(path: string): Promise<Inspection> {
  const found = await findEntries(path, [...ENCRYPTED, 'PowerPoint Document']);
  if (ENCRYPTED.some((name) => found.has(name))) throw new PresentationProblem(PASSWORD_PROBLEM);
  if (found.size > 0) return { kind: 'ppt', pages: null, hidden: 0 };
  throw new PresentationProblem(`${TAKEN}; this one is another file of Microsoft Office.`);
}

/** Bytes of an entry of a directory, which begins with the name of a stream (MS-CFB, 2.6.1). */
const ENTRY_BYTES = 128;

/** Which of these streams a compound file has. Its directory may be scattered over the whole file. */
async function findEntries(path: string, names: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const part of createReadStream(path, { highWaterMark: ENTRY_BYTES * 8192 }) as AsyncIterable<Buffer>) {
    for (const name of names) {
      const entry = Buffer.from(`${name}\0`, 'utf16le');
      for (let at = part.indexOf(entry); at >= 0; at = part.indexOf(entry, at + 1)) {
        if (at % ENTRY_BYTES === 0) found.add(name);
      }
    }
  }
  return found;
}

/** Throws a refusal with the count for a deck with no or too many pages. @param shown pages that are not hidden. */
function requirePageCount(shown: number, hidden = 0): void {
  if (shown > MAX_SLIDES) {
    throw new PresentationProblem(
      `The presentation has ${shown} pages; a video has at most ${MAX_SLIDES} slides. Split it, or hide pages.`,
    );
  }
  if (shown > 0) return;
  const which = hidden > 0 ? `All ${hidden} slides of the presentation are hidden.` : 'The presentation has no pages.';
  throw new PresentationProblem(which);
}
