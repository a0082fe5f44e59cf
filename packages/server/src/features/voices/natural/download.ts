import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../../../kernel/operator-error.js';
import { isThere } from '../../../kernel/storage/files.js';

/** Maximum silence of a server. */
const STALL_MS = 60_000;
/** What names another place of the files: for those who read the message in the console, and in a shell. */
const MIRROR = 'FIGUREHEAD_VOICES_MIRROR (or --mirror)';

/** A file and its sources. */
export interface RemoteFile {
  /** Addresses of the same bytes, best first: `https:`, `http:` or `file:`. */
  readonly urls: readonly string[];
  readonly bytes: number;
  readonly digest: { readonly algorithm: 'sha256' | 'md5'; readonly hex: string };
}

/** Called during a download. */
export type Progress = (received: number, total: number) => void;

/**
 * Downloads a file to `part` from the first working address, continuing an earlier attempt. A file with another size or checksum is deleted. Other processes
 * may download it to the same `part` at the same time, or remove it. Returns the verified file, open for reading; the caller closes it. Throws an
 * OperatorError that says what to do.
 */
export async function download(file: RemoteFile, part: string, onProgress: Progress): Promise<FileHandle> {
  const target = await open(part, constants.O_RDWR | constants.O_CREAT);
  try {
    await fill(target, file, onProgress);
    return target;
  } catch (error) {
    if ((await target.stat()).size === 0) await rm(part, { force: true });
    await target.close();
    throw error;
  }
}

async function fill(target: FileHandle, file: RemoteFile, onProgress: Progress): Promise<void> {
  const failures: string[] = [];
  for (const url of file.urls) {
    try {
      if ((await target.stat()).size < file.bytes) await receive(url, { file, target, onProgress });
      await verify(file, target, url);
      return;
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      failures.push(error.message);
    }
  }
  const more = failures.length > 1 ? ` (all ${failures.length} addresses failed)` : '';
  throw new OperatorError(`${failures.at(-1) ?? 'The file has no address.'}${more}`);
}

/** Requests an address from byte `from` on and passes the response to `use`. Throws an OperatorError when it is not available. */
export async function openUrl(
  url: string,
  { from = 0, method = 'GET' }: { readonly from?: number; readonly method?: 'GET' | 'HEAD' },
  use: (response: Response, alive: () => void) => Promise<void>,
): Promise<void> {
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(), STALL_MS);
  try {
    const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
    const response = await fetch(url, { method, headers, signal: stalled.signal });
    if (!response.ok) {
      await response.body?.cancel();
      throw new OperatorError(`${url} answered ${response.status}`);
    }
    await use(response, () => timer.refresh());
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError(`${url} ${whyNot(cause, stalled.signal.aborted)}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Error codes of a machine without a network or without DNS. */
const OFFLINE = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'ENETDOWN', 'EHOSTUNREACH']);

function whyNot(cause: unknown, isStalled: boolean): string {
  if (isStalled)
    return `sent nothing for ${STALL_MS / 1000} s; try again to continue, or name another place with ${MIRROR}`;
  const { code } = ((cause as Error).cause ?? {}) as NodeJS.ErrnoException;
  if (code !== undefined && OFFLINE.has(code))
    return `cannot be reached: this machine seems to have no network (${code}). Fetch the file elsewhere and name its folder as file:///… with ${MIRROR}`;
  return `cannot be reached or broke off; try again to continue, or name another place with ${MIRROR}`;
}

interface Receiving {
  readonly file: RemoteFile;
  readonly target: FileHandle;
  readonly onProgress: Progress;
}

async function receive(url: string, { file, target, onProgress }: Receiving): Promise<void> {
  const there = (await target.stat()).size;
  const store = async (body: AsyncIterable<Uint8Array>, isContinued: boolean, alive: () => void): Promise<void> => {
    let received = isContinued ? there : 0;
    for await (const bytes of body) {
      alive();
      if (received + bytes.length > file.bytes) throw new OperatorError(`${url} is longer than the catalogue says`);
      // Another process writes the same bytes to the same positions.
      await target.write(bytes, 0, bytes.length, received);
      received += bytes.length;
      onProgress(received, file.bytes);
    }
  };
  if (url.startsWith('file:')) {
    const path = fileURLToPath(url);
    if (!(await isThere(path))) throw new OperatorError(`there is no file ${path}`);
    await store(createReadStream(path, { start: there }), true, () => undefined);
    return;
  }
  await openUrl(url, { from: there }, async (response, alive) => {
    // A server that does not support ranges sends the whole file with 200.
    if (response.body) await store(response.body, response.status === 206, alive);
  });
}

async function verify({ bytes, digest }: RemoteFile, target: FileHandle, url: string): Promise<void> {
  const { size } = await target.stat();
  const hex = await hashOf(target.createReadStream({ start: 0, autoClose: false }), digest.algorithm);
  if (hex === digest.hex && size === bytes) return;
  const name = basename(new URL(url).pathname);
  if (size < bytes) throw new OperatorError(`${name} broke off after ${size} of ${bytes} bytes; try again to continue`);
  await target.truncate();
  throw new OperatorError(
    `${name} arrived damaged: its ${digest.algorithm} is ${hex}, expected ${digest.hex}; try again`,
  );
}

/** Checksum of a file in hexadecimal. */
export function digestOf(file: string, algorithm: 'sha256' | 'md5'): Promise<string> {
  return hashOf(createReadStream(file), algorithm);
}

async function hashOf(content: AsyncIterable<Uint8Array>, algorithm: 'sha256' | 'md5'): Promise<string> {
  const hash = createHash(algorithm);
  for await (const bytes of content) hash.update(bytes);
  return hash.digest('hex');
}
