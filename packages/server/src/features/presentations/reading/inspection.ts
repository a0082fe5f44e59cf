import { open, stat } from 'node:fs/promises';
import { outlineOdp } from '../odp/odp.js';
import { openPdf } from '../pdf/pdf.js';
import { outlinePptx } from '../pptx/pptx.js';
import { checkArchive, openArchive } from './archive.js';
import { MAX_PDF_BYTES, requirePageCount } from './limits.js';
import { PresentationProblem } from './problem.js';

/** Supported formats. */
export type PresentationKind = 'pptx' | 'odp' | 'ppt' | 'pdf';

/** Result of inspecting a file before its conversion. */
export interface Inspection {
  readonly kind: PresentationKind;
  /** Pages that are not hidden; null for a .ppt, which only LibreOffice reads. */
  readonly pages: number | null;
  readonly hidden: number;
  /** URLs of linked pictures and videos, which are omitted. */
  readonly linked: readonly string[];
}

const TAKEN = 'A presentation is a .pptx, .ppt, .odp or .pdf file';

/** Other kinds of archives, by a part that only they contain. */
const OTHER_ARCHIVES: readonly (readonly [part: string, what: string])[] = [
  ['word/document.xml', 'a Word document'],
  ['xl/workbook.xml', 'an Excel workbook'],
  ['ppt/presentation.bin', 'a binary PowerPoint file'],
];

/** OpenDocument types that are presentations. */
const ODP_TYPE = /^application\/vnd\.oasis\.opendocument\.presentation(-template)?$/;

/**
 * Detects a file's type by its content, checks that it is complete and harmless, and counts its pages. Throws {@link
 * PresentationProblem}. Runs in a thread, because parsers of untrusted files must not block the API.
 */
export async function inspectPresentation(path: string): Promise<Inspection> {
  const { size } = await stat(path);
  if (size === 0) throw new PresentationProblem('The file is empty.');
  const head = await readAt(path, 0, 65_536);
  if (head.subarray(0, 4).equals(Buffer.from('PK\x03\x04'))) return inspectArchive(path, size);
  if (head.subarray(0, 1024).includes('%PDF-')) return inspectPdf(path, size);
  if (head.subarray(0, 8).equals(COMPOUND_FILE)) return inspectCompoundFile(path, head);
  throw new PresentationProblem(`${TAKEN}; this one is of another type.`);
}

async function readAt(path: string, position: number, length: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function inspectArchive(path: string, size: number): Promise<Inspection> {
  await checkArchive(path, size);
  const archive = await openArchive(path);
  try {
    const type = (await archive.read('mimetype'))?.subarray(0, 200).toString('latin1').trim();
    const kind = type === undefined ? 'pptx' : 'odp';
    if (type !== undefined && !ODP_TYPE.test(type)) {
      throw new PresentationProblem(`${TAKEN}; this one declares the type ${JSON.stringify(type)}.`);
    }
    const other = OTHER_ARCHIVES.find(([part]) => archive.names.includes(part))?.[1];
    if (other !== undefined) throw new PresentationProblem(`${TAKEN}; this one is ${other}.`);
    if (kind === 'pptx' && !archive.names.includes('[Content_Types].xml')) {
      throw new PresentationProblem(`${TAKEN}; this one is another kind of archive.`);
    }
    const { shown, hidden, linked } = await (kind === 'odp' ? outlineOdp(archive) : outlinePptx(archive));
    requirePageCount(shown, hidden);
    return { kind, pages: shown, hidden, linked };
  } finally {
    archive.close();
  }
}

async function inspectPdf(path: string, size: number): Promise<Inspection> {
  if (size > MAX_PDF_BYTES) {
    throw new PresentationProblem(
      `A PDF may have at most ${MAX_PDF_BYTES / 1e6} MB; this one has ${Math.ceil(size / 1e6)} MB.`,
    );
  }
  const pdf = await openPdf(path);
  try {
    requirePageCount(pdf.pages);
    return { kind: 'pdf', pages: pdf.pages, hidden: 0, linked: [] };
  } finally {
    pdf.close();
  }
}

/** First bytes of a compound file (MS-CFB): an old office file, or an encrypted new one. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** Reads the beginning of the directory (MS-CFB, 2.2 and 2.6), which names the file's streams. */
async function inspectCompoundFile(path: string, head: Buffer): Promise<Inspection> {
  const sectorBytes = 2 ** Math.min(12, head.readUInt16LE(30));
  const directory = await readAt(path, (head.readUInt32LE(48) + 1) * sectorBytes, 8 * sectorBytes);
  const has = (name: string): boolean => directory.includes(Buffer.from(name, 'utf16le'));
  if (has('EncryptedPackage') || has('DataSpaces') || has('EncryptedSummary')) {
    throw new PresentationProblem('The presentation is protected by a password. Save it without one and try again.');
  }
  if (!has('PowerPoint Document')) {
    throw new PresentationProblem(`${TAKEN}; this one is another file of Microsoft Office.`);
  }
  return { kind: 'ppt', pages: null, hidden: 0, linked: [] };
}
