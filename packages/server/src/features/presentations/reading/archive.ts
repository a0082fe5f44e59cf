import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl';
import { PASSWORD_PROBLEM, PresentationProblem } from './problem.js';

/** A ZIP archive (.pptx and .odp are archives). It holds no file open. */
export interface Archive {
  readonly names: readonly string[];
  /** An entry's bytes; `undefined` when it does not exist. */
  read(name: string): Promise<Buffer | undefined>;
  stream(name: string): Promise<Readable>;
}

/** Limits of an archive. Real decks stay far below; larger ones are attacks. */
const LIMITS = {
  entries: 10_000,
  /** All entries unpacked, bytes. */
  totalBytes: 1_500_000_000,
  /** One markup entry, bytes: parsing takes about ten times that in memory. */
  markupBytes: 30_000_000,
  /** Ratio of unpacked to packed size of the whole archive, checked above `ratioFromBytes`. Dense charts reach 40. */
  ratio: 120,
  ratioFromBytes: 20_000_000,
} as const;

const MARKUP = /\.(xml|rels|vml|rdf|xhtml|svg)$/i;
/** Encodings in which `<!` looks like ASCII once zero bytes are removed. */
const KNOWN_ENCODINGS = /^(utf-?8|utf-?16(le|be)?|us-ascii|iso-8859-\d{1,2}|windows-125\d)$/i;
const [FILE_TYPE, SYMBOLIC_LINK] = [0o170000, 0o120000];

/** Reads an archive's directory. Throws {@link PresentationProblem} for structures that no common program writes. */
export async function openArchive(path: string): Promise<Archive> {
  const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true, strictFileNames: true };
  const entries = new Map<string, Entry>();
  let step = 'it is not a complete archive';
  try {
    const zip = await fromRandomAccessReaderPromise(new FileReader(path), await endOfArchive(path), options);
    step = 'its table of contents is not valid';
    for await (const entry of zip.eachEntry()) {
      const problem = problemOf(entry, entries);
      if (problem !== undefined) throw new PresentationProblem(problem);
      if (!entry.fileName.endsWith('/')) entries.set(entry.fileName, entry);
    }
    const stream = (entry: Entry): Promise<Readable> => zip.openReadStreamPromise(entry);
    return {
      names: [...entries.keys()],
      stream: (name) => stream(entries.get(name) as Entry),
      async read(name) {
        const entry = entries.get(name);
        return entry === undefined ? undefined : buffer(await stream(entry));
      },
    };
  } catch (cause) {
    if (cause instanceof PresentationProblem) throw cause;
    throw new PresentationProblem(`The file is damaged: ${step}.`, { cause });
  }
}

/**
 * Unpacks the whole archive once without storing it, to count the real sizes and to search markup for document types,
 * which could include files and URLs or expand exponentially. Stops at the first limit.
 */
export async function checkArchive(archive: Archive, packedBytes: number): Promise<void> {
  let total = 0;
  for (const name of archive.names) {
    const kept: Buffer[] = [];
    let markup = 0;
    try {
      for await (const part of (await archive.stream(name)) as AsyncIterable<Buffer>) {
        total += part.length;
        if (MARKUP.test(name)) markup += kept.push(part) > 0 ? part.length : 0;
        const isBlownUp = total > LIMITS.ratioFromBytes && total > packedBytes * LIMITS.ratio;
        if (!isBlownUp && total <= LIMITS.totalBytes && markup <= LIMITS.markupBytes) continue;
        throw new PresentationProblem(
          'The file unpacks to far more data than a presentation, so it was not opened. Remove the large content.',
        );
      }
    } catch (cause) {
      if (cause instanceof PresentationProblem) throw cause;
      throw new PresentationProblem(`The file is damaged: its part ${quoted(name)} cannot be unpacked.`, { cause });
    }
    requirePlainMarkup(name, Buffer.concat(kept));
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

/** The last record of an archive is 22 bytes and a comment (APPNOTE 6.3, 4.3.16). */
const [END_RECORD_BYTES, LONGEST_COMMENT] = [22, 65_535];

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

function problemOf(entry: Entry, known: ReadonlyMap<string, Entry>): string | undefined {
  const name = quoted(entry.fileName);
  if (known.size >= LIMITS.entries) return `The file has more than ${LIMITS.entries} parts.`;
  if (known.has(entry.fileName)) return `The file contains the part ${name} twice.`;
  if (entry.isEncrypted()) return PASSWORD_PROBLEM;
  if (![0, 8].includes(entry.compressionMethod)) {
    return `The part ${name} uses a compression that presentations do not use.`;
  }
  // The upper half is the Unix mode if the archive was created there; otherwise it has no meaning.
  const isLink = ((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMBOLIC_LINK;
  return isLink ? `The part ${name} is a link, which presentations do not have.` : undefined;
}

function requirePlainMarkup(name: string, bytes: Buffer): void {
  // Without zero bytes UTF-16 and UTF-32 look like ASCII in the relevant places.
  const text = bytes.toString('latin1').replaceAll('\0', '');
  const encoding = /^[^<]{0,4}<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"']+)["']/i.exec(text)?.[1] ?? 'utf-8';
  const written = `The part ${quoted(name)}`;
  if (!KNOWN_ENCODINGS.test(encoding)) {
    throw new PresentationProblem(`${written} is written in the unexpected encoding ${quoted(encoding)}.`);
  }
  if (/<!\s*(DOCTYPE|ENTITY)/i.test(text)) {
    throw new PresentationProblem(
      `${written} declares a document type, which presentations do not have; the file was not opened.`,
    );
  }
}

/** Names are untrusted and appear in messages. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}…` : name);
}
