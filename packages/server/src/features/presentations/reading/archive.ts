import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { ARCHIVE_LIMITS } from './limits.js';
import { PresentationProblem } from './problem.js';

/** A checked ZIP archive (.pptx and .odp are archives). The caller closes it. */
export interface Archive {
  readonly names: readonly string[];
  /** An entry's bytes; `undefined` when it does not exist. */
  read(name: string): Promise<Buffer | undefined>;
  close(): void;
}

const MARKUP = /\.(xml|rels|vml|rdf|xhtml|svg)$/i;
/** Encodings in which `<!` looks like ASCII once zero bytes are removed. */
const KNOWN_ENCODINGS = /^(utf-?8|utf-?16(le|be)?|us-ascii|iso-8859-\d{1,2}|windows-125\d)$/i;
const SYMBOLIC_LINK = 0o120000;

/**
 * Opens an archive and reads its directory. Throws {@link PresentationProblem} for structures that no common program
 * writes.
 */
export async function openArchive(path: string): Promise<Archive> {
  const zip = await openZip(path);
  try {
    const entries = await readDirectory(zip);
    return {
      names: [...entries.keys()],
      async read(name) {
        const entry = entries.get(name);
        if (entry === undefined) return undefined;
        const parts: Buffer[] = [];
        for await (const part of await streamOf(zip, entry)) parts.push(part);
        return Buffer.concat(parts);
      },
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

/**
 * Unpacks the whole archive once without storing it, to count the real sizes and to search markup for document types,
 * which could include files and URLs or expand exponentially. Stops at the first limit.
 */
export async function checkArchive(path: string, packedBytes: number): Promise<void> {
  const zip = await openZip(path);
  try {
    let total = 0;
    for (const [name, entry] of await readDirectory(zip)) {
      const isMarkup = MARKUP.test(name);
      const kept: Buffer[] = [];
      let size = 0;
      try {
        for await (const part of await streamOf(zip, entry)) {
          size += part.length;
          total += part.length;
          requireHonestSize({ total, packedBytes, markup: isMarkup ? size : 0 });
          if (isMarkup) kept.push(part);
        }
      } catch (cause) {
        if (cause instanceof PresentationProblem) throw cause;
        throw new PresentationProblem(`The file is damaged: its part ${quoted(name)} cannot be unpacked.`, { cause });
      }
      if (isMarkup) requirePlainMarkup(name, Buffer.concat(kept));
    }
  } finally {
    zip.close();
  }
}

class FileReader extends RandomAccessReader {
  constructor(private readonly path: string) {
    super();
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return createReadStream(this.path, { start, end: end - 1 });
  }
}

async function openZip(path: string): Promise<ZipFile> {
  const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true, strictFileNames: true };
  try {
    return await fromRandomAccessReaderPromise(new FileReader(path), await endOfArchive(path), options);
  } catch (cause) {
    throw new PresentationProblem('The file is damaged: it is not a complete archive.', { cause });
  }
}

/** The last record of an archive is 22 bytes and a comment (APPNOTE 6.3, 4.3.16). */
const END_RECORD_BYTES = 22;
const LONGEST_COMMENT = 65_535;

/** Length of the archive in a file: mail and web programs add bytes after it, such as a line break. */
async function endOfArchive(path: string): Promise<number> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - 2 * LONGEST_COMMENT);
    const { buffer: tail } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    const at = tail.lastIndexOf('PK\x05\x06', -END_RECORD_BYTES, 'latin1');
    return at < 0 ? size : Math.min(size, start + at + END_RECORD_BYTES + tail.readUInt16LE(at + 20));
  } finally {
    await file.close();
  }
}

async function readDirectory(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      if (entries.size >= ARCHIVE_LIMITS.entries) {
        throw new PresentationProblem(`The file has more than ${ARCHIVE_LIMITS.entries} parts.`);
      }
      requireHonestEntry(entry, entries);
      if (!entry.fileName.endsWith('/')) entries.set(entry.fileName, entry);
    }
  } catch (cause) {
    if (cause instanceof PresentationProblem) throw cause;
    throw new PresentationProblem('The file is damaged: its table of contents is not valid.', { cause });
  }
  return entries;
}

function requireHonestEntry(entry: Entry, known: ReadonlyMap<string, Entry>): void {
  const name = entry.fileName;
  if (known.has(name)) throw new PresentationProblem(`The file contains the part ${quoted(name)} twice.`);
  if (entry.isEncrypted()) {
    throw new PresentationProblem('The presentation is protected by a password. Save it without one and try again.');
  }
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    throw new PresentationProblem(`The part ${quoted(name)} uses a compression that presentations do not use.`);
  }
  // The upper half is the Unix mode if the archive was created there; otherwise it has no meaning, and 0o12 no other
  // one.
  if (((entry.externalFileAttributes >>> 16) & 0o170000) === SYMBOLIC_LINK) {
    throw new PresentationProblem(`The part ${quoted(name)} is a link, which presentations do not have.`);
  }
}

function requireHonestSize(sizes: { total: number; packedBytes: number; markup: number }): void {
  const { total, packedBytes, markup } = sizes;
  const isBlownUp = total > ARCHIVE_LIMITS.ratioFromBytes && total > packedBytes * ARCHIVE_LIMITS.ratio;
  if (isBlownUp || total > ARCHIVE_LIMITS.totalBytes || markup > ARCHIVE_LIMITS.markupBytes) {
    throw new PresentationProblem(
      'The file unpacks to far more data than a presentation, so it was not opened. Remove the large content.',
    );
  }
}

function requirePlainMarkup(name: string, bytes: Buffer): void {
  // Without zero bytes UTF-16 and UTF-32 look like ASCII in the relevant places.
  const text = bytes.toString('latin1').replaceAll('\0', '');
  const encoding = /^[^<]{0,4}<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"']+)["']/i.exec(text)?.[1];
  if (encoding !== undefined && !KNOWN_ENCODINGS.test(encoding)) {
    throw new PresentationProblem(
      `The part ${quoted(name)} is written in the unexpected encoding ${quoted(encoding)}.`,
    );
  }
  if (/<!\s*(DOCTYPE|ENTITY)/i.test(text)) {
    throw new PresentationProblem(
      `The part ${quoted(name)} declares a document type, which presentations do not have; the file was not opened.`,
    );
  }
}

async function streamOf(zip: ZipFile, entry: Entry): Promise<Readable> {
  return zip.openReadStreamPromise(entry);
}

/** Names are untrusted and appear in messages. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}…` : name);
}
