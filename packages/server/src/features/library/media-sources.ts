import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Assets } from '@figurehead/media';
import { playablePicture } from '@figurehead/media/basic';
import { FetchError, type Kernel, type Objects, type SafeFetch } from '../../kernel/contract.js';

/** A medium that a document may not use or that does not exist; the message is for the document's owner. */
export class MediumRefused extends Error {
  override readonly name = 'MediumRefused';
}

/** Whether a medium cannot be used, as its owner must know. Any other error (bucket, disk, overload) is not the document's fault. */
export function isMediumRefusal(error: unknown): error is MediumRefused | FetchError {
  return error instanceof MediumRefused || error instanceof FetchError;
}

/** Allowed sources of a document's media. */
export interface MediaSources {
  readonly fetch: SafeFetch;
  /** `FIGUREHEAD_MEDIA_ALLOW_PRIVATE`. */
  readonly allowPrivate: boolean;
  /**
   * The server's own files, their public URL, and the workspace whose files the document may use; a command without a
   * server has none.
   */
  readonly own?: { readonly objects: Objects; readonly url: string; readonly workspaceId: string };
  /** Reads a file by a relative path in the document; only for commands run by a user. */
  readonly local?: (path: string) => Promise<Buffer>;
}

/** Allowed sources of media for a workspace's documents. */
export function mediaSourcesOf({ config, fetch, objects }: Kernel, workspaceId: string): MediaSources {
  return { fetch, allowPrivate: config.mediaAllowPrivate, own: { objects, url: config.url, workspaceId } };
}

/** Limits of one rendering. */
const PICTURE = { deadlineMs: 20_000, maxBytes: 50_000_000 } as const;
const CLIP = { deadlineMs: 120_000, maxBytes: 500_000_000 } as const;

/**
 * The media of one document: `data:` URLs, links to objects of its own workspace, and http(s) URLs through the address
 * guard. Files are stored in `folder`. A refused medium rejects with a `MediumRefused` or
 * `FetchError`; other errors (bucket, disk) are not the document's fault. `decodes`: this process may decode what others have uploaded, so that animated
 * pictures play.
 */
export function openMediaSources(
  sources: MediaSources,
  { folder, signal, decodes = false }: { folder: string; signal: AbortSignal; decodes?: boolean },
): Assets {
  const files = new Map<string, Promise<string>>();
  return {
    picture: (src) => read(sources, src, { ...PICTURE, signal }),
    file: (src) => {
      const known = files.get(src) ?? store(sources, src, { folder, signal });
      files.set(src, known);
      return known;
    },
    ...(decodes && {
      film: async (src: string) => {
        const file = join(folder, `film-${hashOf(src)}`);
        await writeFile(file, await playablePicture(await read(sources, src, { ...PICTURE, signal })));
        return file;
      },
    }),
  };
}

interface Limits {
  readonly deadlineMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

async function read(sources: MediaSources, src: string, limits: Limits): Promise<Buffer> {
  if (/^data:/i.test(src)) return readDataUrl(src);
  const key = ownKey(sources, src);
  if (key !== undefined) {
    const found = await sources.own?.objects.get(key);
    if (found === undefined) throw new MediumRefused('the file no longer exists on this server');
    return buffer(found.body);
  }
  if (/^https?:\/\//i.test(src)) return download(sources, src, limits);
  if (sources.local !== undefined) return sources.local(src);
  throw new MediumRefused(`expected an http, https or data URL, got ${abbreviated(src)}`);
}

function hashOf(src: string): string {
  return createHash('sha256').update(src).digest('hex').slice(0, 32);
}

async function store(
  sources: MediaSources,
  src: string,
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<string> {
  const file = join(folder, `media-${hashOf(src)}`);
  const key = ownKey(sources, src);
  const found = key === undefined ? undefined : await sources.own?.objects.get(key);
  if (found !== undefined) await pipeline(found.body, createWriteStream(file), { signal });
  else await writeFile(file, await read(sources, src, { ...CLIP, signal }));
  await access(file);
  return file;
}

/**
 * The object of a link to this server. Expired links to the workspace's own objects are accepted, because the document
 * was saved with them. A link to an object of another workspace is refused even with a valid signature: a link ends
 * with its expiry, but a document would keep its content.
 */
function ownKey(sources: MediaSources, src: string): string | undefined {
  const { own } = sources;
  const prefix = own === undefined ? undefined : `${own.url}/media/`;
  if (own === undefined || prefix === undefined || !src.startsWith(prefix) || !URL.canParse(src)) return undefined;
  const url = new URL(src);
  const key = decoded(url.href.slice(prefix.length).split(/[?#]/)[0] ?? '');
  const { verdict } = own.objects.verifyLink(key, Object.fromEntries(url.searchParams));
  if (verdict === 'forged') throw new MediumRefused('the link to this server has no valid signature');
  if (!key.startsWith(`${own.workspaceId}/`)) throw new MediumRefused('the link refers to a file of another workspace');
  return key;
}

async function download(sources: MediaSources, src: string, limits: Limits): Promise<Buffer> {
  const { status, body } = await sources.fetch(src, { ...limits, allowPrivate: sources.allowPrivate });
  if (status !== 200) throw new MediumRefused(`${abbreviated(src)} answered with status ${status}`);
  return body;
}

function readDataUrl(src: string): Buffer {
  const match = /^data:[^,]*?(;base64)?,/i.exec(src);
  if (match === null) throw new MediumRefused('expected a data URL with a comma before its data');
  const data = src.slice(match[0].length);
  return match[1] === undefined ? Buffer.from(decoded(data)) : Buffer.from(data, 'base64');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new MediumRefused(`expected percent-encoded UTF-8, got ${abbreviated(text)}`);
  }
}

/** Long URLs (signed links) would hide the message. */
function abbreviated(src: string): string {
  return src.length > 120 ? `${src.slice(0, 117)}…` : src;
}
