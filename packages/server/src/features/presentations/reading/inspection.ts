import { open, stat } from 'node:fs/promises';
import { outlineOdp } from '../odp/odp.js';
import { openPdf } from '../pdf/pdf.js';
import { outlinePptx } from '../pptx/pptx.js';
import { checkArchive, openArchive } from './archive.js';
import { MAX_PDF_BYTES, requirePageCount } from './limits.js';
import { PresentationProblem } from './problem.js';

/** Formats that become videos. */
export type PresentationKind = 'pptx' | 'odp' | 'pdf';

/** What a look at the file tells before anything is converted. */
export interface Inspection {
  readonly kind: PresentationKind;
  /** Pages that are not hidden. */
  readonly pages: number;
  readonly hidden: number;
  /** Addresses of linked pictures and films, which are left out. */
  readonly linked: readonly string[];
}

const TAKEN = 'A presentation is a .pptx, .odp or .pdf file';

/** What other files that are archives say they are, by a part that only they have. */
const OTHER_ARCHIVES: readonly (readonly [part: string, what: string])[] = [
  ['word/document.xml', 'a Word document'],
  ['xl/workbook.xml', 'an Excel workbook'],
  ['ppt/presentation.bin', 'a binary PowerPoint file'],
];

/** OpenDocument types that are presentations. */
const ODP_TYPE = /^application\/vnd\.oasis\.opendocument\.presentation(-template)?$/;

/**
 * Finds out by its content what a file is, whatever its name says, checks that it is whole and harmless, and counts its
 * pages. Throws {@link PresentationProblem}. Runs in a thread: parsers of strangers' files do not belong to the API's own.
 */
export async function inspectPresentation(path: string): Promise<Inspection> {
  const { size } = await stat(path);
  if (size === 0) throw new PresentationProblem('The file is empty.');
  const head = await readHead(path);
  if (head.subarray(0, 4).equals(Buffer.from('PK\x03\x04'))) return inspectArchive(path, size);
  if (head.subarray(0, 1024).includes('%PDF-')) return inspectPdf(path, size);
  throw new PresentationProblem(describeOther(head));
}

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(65_536);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
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
      throw new PresentationProblem(`${TAKEN}; this one calls itself ${JSON.stringify(type)}.`);
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

/** Compound files (MS-CFB) hold old PowerPoint files, and new ones that are encrypted. */
function describeOther(head: Buffer): string {
  if (!head.subarray(0, 8).equals(Buffer.from('d0cf11e0a1b11ae1', 'hex'))) return `${TAKEN}; this one is none of them.`;
  return head.includes(Buffer.from('EncryptedPackage', 'utf16le')) ||
    head.includes(Buffer.from('DataSpaces', 'utf16le'))
    ? 'The presentation is protected by a password. Save it without one and try again.'
    : `${TAKEN}; this one is in an older format of Microsoft Office. Save it as .pptx and try again.`;
}
