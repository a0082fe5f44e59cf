import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../../../kernel/operator-error.js';

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

/** Options of a download. */
interface Fetching {
  /** Called during the download. */
  readonly onProgress: (received: number, total: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Downloads a file to `part` from the first working address, continuing an earlier attempt. A file with another size or checksum is deleted. Throws an
 * OperatorError that says what to do.
 */
export async function download(file: RemoteFile, part: string, fetching: Fetching): Promise<void> {
  const failures: string[] = [];
  for (const url of file.urls) {
    try {
      if ((await sizeOf(part)) < file.bytes) await receive(url, { file, part, fetching });
      await verify(file, part, url);
      return;
    } catch (error) {
      fetching.signal?.throwIfAborted();
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
  {
    from = 0,
    method = 'GET',
    signal,
  }: { readonly from?: number; readonly method?: 'GET' | 'HEAD'; readonly signal?: AbortSignal | undefined },
  use: (response: Response, alive: () => void) => Promise<void>,
): Promise<void> {
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(), STALL_MS);
  try {
    const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
    const either = signal ? AbortSignal.any([signal, stalled.signal]) : stalled.signal;
    const response = await fetch(url, { method, headers, signal: either });
    if (!response.ok) {
      await response.body?.cancel();
      throw new OperatorError(`${url} answered ${response.status}`);
    }
    await use(response, () => timer.refresh());
  } catch (cause) {
    signal?.throwIfAborted();
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
  readonly part: string;
  readonly fetching: Fetching;
}

async function receive(url: string, { file, part, fetching }: Receiving): Promise<void> {
  const there = await sizeOf(part);
  const store = async (body: AsyncIterable<Uint8Array>, isContinued: boolean, alive: () => void): Promise<void> => {
    const handle = await open(part, isContinued ? 'a' : 'w');
    try {
      let received = isContinued ? there : 0;
      for await (const bytes of body) {
        alive();
        received += bytes.length;
        if (received > file.bytes) throw new OperatorError(`${url} is longer than the catalogue says`);
        await handle.write(bytes);
        fetching.onProgress(received, file.bytes);
      }
    } finally {
      await handle.close();
    }
  };
  if (url.startsWith('file:')) {
    const path = fileURLToPath(url);
    if ((await sizeOf(path)) === 0) throw new OperatorError(`there is no file ${path}`);
    await store(createReadStream(path, { start: there }), true, () => undefined);
    return;
  }
  await openUrl(url, { from: there, signal: fetching.signal }, async (response, alive) => {
    // A server that does not support ranges sends the whole file with 200.
    if (response.body) await store(response.body, response.status === 206, alive);
  });
}

async function verify({ bytes, digest }: RemoteFile, part: string, url: string): Promise<void> {
  const [size, hex] = [await sizeOf(part), await digestOf(part, digest.algorithm)];
  if (hex === digest.hex && size === bytes) return;
  const name = basename(new URL(url).pathname);
  if (size < bytes) throw new OperatorError(`${name} broke off after ${size} of ${bytes} bytes; try again to continue`);
  await rm(part, { force: true });
  throw new OperatorError(
    `${name} arrived damaged: its ${digest.algorithm} is ${hex}, expected ${digest.hex}; try again`,
  );
}

/** Bytes of a file; 0 when there is none. */
async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return 0;
      throw error;
    },
  );
}

/** Checksum of a file in hexadecimal. */
export async function digestOf(file: string, algorithm: 'sha256' | 'md5'): Promise<string> {
  const hash = createHash(algorithm);
  for await (const bytes of createReadStream(file)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}
