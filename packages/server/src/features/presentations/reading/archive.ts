import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { ARCHIVE_LIMITS } from './limits.js';
import { PresentationProblem } from './problem.js';

/** A checked ZIP archive (.pptx and .odp are archives). Whoever opens it closes it. */
export interface Archive {
  readonly names: readonly string[];
  /** An entry's bytes; `undefined` when there is none of this name. */
  read(name: string): Promise<Buffer | undefined>;
  close(): void;
}

const MARKUP = /\.(xml|rels|vml|rdf|xhtml|svg)$/i;
/** Declared encodings in which `<!` looks the same as in ASCII once zero bytes are taken out. */
const KNOWN_ENCODINGS = /^(utf-?8|utf-?16(le|be)?|us-ascii|iso-8859-\d{1,2}|windows-125\d)$/i;
const SYMBOLIC_LINK = 0o120000;

/** Opens an archive and reads its directory. Throws {@link PresentationProblem} for what no honest program writes. */
export async function openArchive(path: string): Promise<Archive> {
  const zip = await openPromise(path, {
    lazyEntries: true,
    autoClose: false,
    validateEntrySizes: true,
    strictFileNames: true,
  }).catch((cause: unknown) => {
    throw new PresentationProblem('The file is damaged: it is not a complete archive.', { cause });
  });
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
 * Unpacks the whole archive once without keeping it: sizes that the directory only claims are counted here, and markup is looked
 * through for document types, which could name files and addresses or multiply themselves. Stops at the first limit.
 */
export async function checkArchive(path: string, packedBytes: number): Promise<void> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false, strictFileNames: true }).catch(
    (cause: unknown) => {
      throw new PresentationProblem('The file is damaged: it is not a complete archive.', { cause });
    },
  );
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

async function readDirectory(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      if (entries.size >= ARCHIVE_LIMITS.entries) {
        throw new PresentationProblem(`The file holds more than ${ARCHIVE_LIMITS.entries} parts.`);
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
  if (known.has(name)) throw new PresentationProblem(`The file holds the part ${quoted(name)} twice.`);
  if (entry.isEncrypted()) {
    throw new PresentationProblem('The presentation is protected by a password. Save it without one and try again.');
  }
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    throw new PresentationProblem(`The part ${quoted(name)} is packed in a way that presentations do not use.`);
  }
  // The upper half is the Unix mode when the archive was made there; it means nothing otherwise, and 0o12 nothing else.
  if (((entry.externalFileAttributes >>> 16) & 0o170000) === SYMBOLIC_LINK) {
    throw new PresentationProblem(`The part ${quoted(name)} is a link, which presentations do not have.`);
  }
}

function requireHonestSize(sizes: { total: number; packedBytes: number; markup: number }): void {
  const { total, packedBytes, markup } = sizes;
  const isBlownUp = total > ARCHIVE_LIMITS.ratioFromBytes && total > packedBytes * ARCHIVE_LIMITS.ratio;
  if (isBlownUp || total > ARCHIVE_LIMITS.totalBytes || markup > ARCHIVE_LIMITS.markupBytes) {
    throw new PresentationProblem(
      'The file unpacks to far more than a presentation holds, so it was not opened. Remove what makes it so large.',
    );
  }
}

function requirePlainMarkup(name: string, bytes: Buffer): void {
  // Without zero bytes UTF-16 and UTF-32 read like ASCII where it matters.
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

/** Names come from strangers and end up in messages. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}…` : name);
}
