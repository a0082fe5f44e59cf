import type { VideoSummary } from '@figurehead/contract';
import { ConnectionError, ServerError } from './errors.js';
import { sleep } from './transport.js';

/** Anything with the link of a ready video. */
export type Downloadable = Pick<Extract<VideoSummary, { url: string }>, 'url'>;

/** Settings of {@link downloadVideo}. */
export interface DownloadOptions {
  /** Bytes that have come; `totalBytes` is undefined if the server does not say. */
  readonly onProgress?: (progress: { readonly receivedBytes: number; readonly totalBytes: number | undefined }) => void;
  /** Ends the download with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Connections in a row that may break without a byte; 5 by default. */
  readonly maxRetries?: number;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Pause after the first interruption, milliseconds; doubled for each further consecutive one. */
const FIRST_PAUSE_MS = 250;

/**
 * Downloads the file of a ready video. After a lost connection it continues (`Range`), as long as the file is the same.
 * @param options.to in Node a path (written as `PATH.part` until it is complete) or a stream, which is closed at the end. Without it, the result is a Blob.
 * @throws ConnectionError when the server cannot be reached again, ServerError when it has no such file any more or another one.
 */
export function downloadVideo(
  video: Downloadable,
  options: DownloadOptions & { to: string | WritableStream<Uint8Array> },
): Promise<undefined>;
export function downloadVideo(video: Downloadable, options?: DownloadOptions): Promise<Blob>;
export async function downloadVideo(
  { url }: Downloadable,
  options: DownloadOptions & { to?: string | WritableStream<Uint8Array> } = {},
): Promise<Blob | undefined> {
  if (typeof options.to === 'string') return saveTo(options.to, url, options);
  if (options.to !== undefined) return writeTo(options.to, url, options);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let type = '';
  for await (const { bytes, contentType } of chunksOf(url, options)) {
    parts.push(bytes);
    type = contentType;
  }
  return new Blob(parts, { type });
}

async function writeTo(to: WritableStream<Uint8Array>, url: string, options: DownloadOptions): Promise<undefined> {
  const writer = to.getWriter();
  try {
    for await (const { bytes } of chunksOf(url, options)) await writer.write(bytes);
    await writer.close();
  } catch (error) {
    await writer.abort(error);
    throw error;
  }
}

/** The little of Node's file system that is used; the package is compiled for browsers as well. */
interface NodeFiles {
  open(path: string, flags: 'w'): Promise<{ write(bytes: Uint8Array): Promise<unknown>; close(): Promise<void> }>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { force: true }): Promise<void>;
}

async function saveTo(path: string, url: string, options: DownloadOptions): Promise<undefined> {
  // A name that bundlers do not follow: browsers have no files.
  const module = 'node:fs/promises';
  const files: NodeFiles = await import(/* @vite-ignore */ module);
  const part = `${path}.part`;
  const file = await files.open(part, 'w');
  try {
    try {
      for await (const { bytes } of chunksOf(url, options)) await file.write(bytes);
    } finally {
      await file.close();
    }
    await files.rename(part, path);
  } catch (error) {
    await files.rm(part, { force: true });
    throw error;
  }
}

interface Chunk {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
}

/** The bytes of a file, once each and in order, over as many connections as it takes. */
async function* chunksOf(url: string, options: DownloadOptions): AsyncGenerator<Chunk> {
  const { onProgress, signal, maxRetries = 5, fetch: send = globalThis.fetch } = options;
  const call = { method: 'GET', url: url.split('?')[0] ?? url };
  let receivedBytes = 0;
  let etag: string | null = null;
  let breaks = 0;
  for (;;) {
    try {
      const response: Response = await send(url, {
        headers:
          receivedBytes === 0
            ? {}
            : { Range: `bytes=${receivedBytes}-`, ...(etag === null ? {} : { 'If-Range': etag }) },
        ...(signal === undefined ? {} : { signal }),
      });
      const details = {
        ...call,
        status: response.status,
        requestId: response.headers.get('x-request-id') ?? undefined,
        code: response.headers.get('error-code') ?? undefined,
      };
      if (!response.ok) throw new ServerError(`GET ${call.url}: the server answered ${response.status}.`, details);
      if (receivedBytes > 0 && response.status !== 206)
        throw new ServerError(`GET ${call.url}: the file has changed during the download.`, details);
      etag = response.headers.get('etag');
      const length = Number(response.headers.get('content-length') ?? Number.NaN);
      const totalBytes = Number.isNaN(length) ? undefined : receivedBytes + length;
      const contentType = response.headers.get('content-type') ?? '';
      for await (const bytes of chunksIn(response)) {
        receivedBytes += bytes.length;
        breaks = 0;
        onProgress?.({ receivedBytes, totalBytes });
        yield { bytes, contentType };
      }
      if (totalBytes === undefined || receivedBytes >= totalBytes) return;
      throw new TypeError(`the connection ended after ${receivedBytes} of ${totalBytes} bytes`);
    } catch (error) {
      signal?.throwIfAborted();
      // What reads a response throws TypeError for a broken connection; other errors would come again.
      if (!(error instanceof TypeError)) throw error;
      if (breaks >= maxRetries) {
        const details = { ...call, status: 0, requestId: undefined };
        throw new ConnectionError(`GET ${call.url}: the connection broke ${breaks + 1} times`, details, {
          cause: error,
        });
      }
      await sleep(FIRST_PAUSE_MS * 2 ** breaks, signal);
      breaks += 1;
    }
  }
}

/** Safari's streams cannot be iterated. */
async function* chunksIn(response: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}
