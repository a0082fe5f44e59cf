import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Kernel, ObjectInfo } from '../contract.js';
import { MEDIA_PATH } from '../storage/media-links.js';

/** Part of an object requested by a `Range` header, inclusive; `unsatisfiable` when it is outside of the object. */
export type ByteRange = { readonly start: number; readonly end: number } | 'unsatisfiable' | undefined;

/**
 * Reads a `Range` header (RFC 9110, 14.2). Multiple ranges, other units and invalid values are ignored, as the RFC
 * allows: the whole object is sent.
 */
export function parseRange(header: string | undefined, size: number): ByteRange {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const suffix = Number(last);
    return suffix === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - suffix), end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}

/** Creates an object that was linked before it existed. False when it cannot create this key. */
type MakeObject = (key: string) => Promise<boolean>;

/**
 * Serves objects by signed links that expire: GET and HEAD, whole or in part.
 * @param make called when the object of a valid link does not exist yet.
 */
export function serveMedia(app: FastifyInstance, kernel: Kernel, make: MakeObject = async () => false): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: `${MEDIA_PATH}*`,
    config: { routeId: 'media' },
    handler: (request, reply) => answer({ kernel, make }, request, reply),
  });
}

async function answer(
  { kernel, make }: { kernel: Kernel; make: MakeObject },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const key = (request.params as { '*': string })['*'];
  // For pictures on a canvas in a page of another origin, and for players anywhere.
  reply.headers({ 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' });
  const link = kernel.objects.verifyLink(key, request.query as Record<string, unknown>);
  if (link.verdict !== 'valid') {
    const message = link.verdict === 'expired' ? 'This link has expired.' : 'This link is not valid.';
    return reply.code(403).send({ message });
  }
  const there = await kernel.objects.info(key);
  const info = there ?? ((await make(key)) ? await kernel.objects.info(key) : undefined);
  if (info === undefined) return reply.code(404).send({ message: 'This file no longer exists.' });
  const etag = `"${info.size.toString(36)}-${info.modifiedAt.getTime().toString(36)}"`;
  reply.headers({
    'Accept-Ranges': 'bytes',
    ETag: etag,
    'Last-Modified': info.modifiedAt.toUTCString(),
    'Cache-Control': `private, max-age=${Math.max(0, Math.floor((link.expiresAt.getTime() - kernel.clock.now()) / 1000))}`,
    // A browser must not execute an uploaded file.
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'Content-Disposition': disposition(link.downloadName),
  });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  const ifRange = request.headers['if-range'];
  const range = ifRange === undefined || ifRange === etag ? parseRange(request.headers.range, info.size) : undefined;
  if (range === 'unsatisfiable') {
    return reply
      .code(416)
      .header('Content-Range', `bytes */${info.size}`)
      .send({ message: 'The requested range is past the end of the file.' });
  }
  return send(kernel, { request, reply, info, range });
}

async function send(
  kernel: Kernel,
  options: {
    request: FastifyRequest;
    reply: FastifyReply;
    info: ObjectInfo;
    range: Exclude<ByteRange, 'unsatisfiable'>;
  },
): Promise<FastifyReply> {
  const { request, reply, info, range } = options;
  const length = range === undefined ? info.size : range.end - range.start + 1;
  reply.code(range === undefined ? 200 : 206).headers({ 'Content-Type': info.contentType, 'Content-Length': length });
  if (range !== undefined) reply.header('Content-Range', `bytes ${range.start}-${range.end}/${info.size}`);
  if (request.method === 'HEAD') return reply.send();
  const object = await kernel.objects.get(info.key, range);
  if (object === undefined)
    return reply.code(404).removeHeader('Content-Length').send({ message: 'This file no longer exists.' });
  return reply.send(object.body);
}

/** `inline`, so that players and pictures work, with a name for saving (RFC 6266). */
function disposition(name: string | undefined): string {
  if (name === undefined) return 'inline';
  const ascii = name.replace(/[^\x20-\x7e]|["\\]/g, '_');
  return `inline; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`;
}
