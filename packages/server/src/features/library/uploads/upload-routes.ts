import { API_PREFIX } from '@figurehead/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kernel } from '../../../kernel/contract.js';
import { ApiError } from '../../../kernel/errors.js';
import { limitBodies } from '../../../kernel/http/connections.js';
import type { Caller, Http } from '../../../kernel/http/contract.js';
import { isStorable } from '../../../kernel/http/json.js';
import type { Inspector } from '../inspection/inspector.js';
import { finishUpload, loadUpload, type NewUpload, receivePart, removeUpload, startUpload } from './uploads.js';

// Resumable uploads with tus 1.0 (https://tus.io/protocols/resumable-upload) with its extensions creation, expiration
// and termination. Beyond the protocol: metadata `name` and `folderId`, and `X-Media-Id` on the request that completes
// the file.

const VERSION = '1.0.0';
const PATH = `${API_PREFIX}/uploads`;
const PART_TYPE = 'application/offset+octet-stream';

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'POST, HEAD, PATCH, DELETE, OPTIONS',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Tus-Resumable, Upload-Length, Upload-Offset, Upload-Metadata, X-HTTP-Method-Override, X-Requested-With',
  'Access-Control-Expose-Headers':
    'Location, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Upload-Offset, Upload-Length, Upload-Expires, X-Media-Id, X-Request-Id',
  'Access-Control-Max-Age': '600',
};

/** Serves `/api/v1/uploads`. Answers follow tus (201, 204, headers), errors follow the API (a body with `message`). */
export function serveUploads(http: Http, kernel: Kernel, inspector: Inspector): void {
  const maxBytes = kernel.config.uploadMaxMb * 1024 * 1024;

  http.app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The handler reads the stream itself.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.addHook('onRequest', async (request, reply) => {
      reply.headers({ ...CORS, 'Tus-Resumable': VERSION, 'Cache-Control': 'no-store' });
      if (request.method === 'OPTIONS') return;
      request.caller = await http.identify(request);
      if (request.caller === undefined) throw new ApiError('unauthorized');
      if (request.headers['tus-resumable'] !== VERSION) {
        return reply
          .code(412)
          .header('Tus-Version', VERSION)
          .send({ message: `Expected the header Tus-Resumable: ${VERSION}.` });
      }
    });
    limitBodies(scope);

    const describe = (_request: FastifyRequest, reply: FastifyReply) =>
      reply
        .code(204)
        .headers({
          'Tus-Version': VERSION,
          'Tus-Extension': 'creation,expiration,termination',
          'Tus-Max-Size': maxBytes,
        })
        .send();
    scope.options(PATH, describe);
    scope.options(`${PATH}/:id`, describe);

    scope.post(PATH, async (request, reply) => {
      const caller = callerOf(request);
      const file = readAnnouncement(request);
      const row = await http.inSlot(caller, () => startUpload(kernel, caller.workspace.id, file));
      return reply
        .code(201)
        .headers({ Location: `${kernel.config.url}${PATH}/${row.id}`, 'Upload-Expires': row.expiresAt.toUTCString() })
        .send();
    });

    const operations = uploadOperations(http, kernel, inspector);
    scope.route({
      method: [...operations.keys(), 'POST'],
      url: `${PATH}/:id`,
      // The header replaces the method, for clients behind proxies that let only some methods pass.
      handler: async (request, reply) => {
        const operation = operations.get(String(request.headers['x-http-method-override'] ?? request.method));
        return operation === undefined ? reply.callNotFound() : await operation(request, reply);
      },
    });
  });
}

/** What may be done with one upload, by the method that asks for it. */
function uploadOperations(
  http: Http,
  kernel: Kernel,
  inspector: Inspector,
): ReadonlyMap<string, (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>> {
  const load = (request: FastifyRequest) => loadUpload(kernel, callerOf(request), idOf(request));

  const head = async (request: FastifyRequest, reply: FastifyReply) => {
    const row = await http.inSlot(callerOf(request), () => load(request));
    return reply
      .code(200)
      .headers({
        'Upload-Offset': String(row.received),
        'Upload-Length': String(row.length),
        'Upload-Expires': row.expiresAt.toUTCString(),
        ...(row.mediaId ? { 'X-Media-Id': row.mediaId } : {}),
      })
      .send();
  };

  const patch = async (request: FastifyRequest, reply: FastifyReply) => {
    const caller = callerOf(request);
    const row = await http.inSlot(caller, () => load(request));
    if (request.headers['content-type'] !== PART_TYPE) {
      return reply.code(415).send({ message: `The Content-Type of a part must be ${PART_TYPE}.` });
    }
    const conflict = () =>
      reply.code(409).send({ message: 'The Upload-Offset differs from the current offset of the upload.' });
    if (readCount(request, 'upload-offset') !== Number(row.received)) return conflict();
    const inSlot = <T>(work: () => Promise<T>) => http.inSlot(caller, work);
    const offset = await receivePart(kernel, row, request.raw, inSlot);
    if (offset === undefined) return conflict();
    const isWhole = offset === Number(row.length);
    const mediaId = isWhole ? await inSlot(() => finishUpload(kernel, inspector, row.id)) : undefined;
    return reply
      .code(204)
      .headers({
        'Upload-Offset': String(offset),
        'Upload-Expires': row.expiresAt.toUTCString(),
        ...(mediaId === undefined ? {} : { 'X-Media-Id': mediaId }),
      })
      .send();
  };

  const remove = async (request: FastifyRequest, reply: FastifyReply) => {
    await http.inSlot(callerOf(request), async () => removeUpload(kernel, await load(request)));
    return reply.code(204).send();
  };

  return new Map([
    ['HEAD', head],
    ['PATCH', patch],
    ['DELETE', remove],
  ]);
}

function callerOf(request: FastifyRequest): Caller {
  if (request.caller === undefined) throw new ApiError('unauthorized');
  return request.caller;
}

function idOf(request: FastifyRequest): string {
  const { id } = request.params as { id: string };
  if (!isStorable(id)) throw new ApiError('notFound', { what: 'upload' });
  return id;
}

function readCount(request: FastifyRequest, header: string): number {
  const text = request.headers[header];
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text);
  throw new ApiError('badRequest', { reason: `the header ${header} must be a whole number of bytes` });
}

function readAnnouncement(request: FastifyRequest): NewUpload {
  const length = readCount(request, 'upload-length');
  const metadata = readMetadata(String(request.headers['upload-metadata'] ?? ''));
  const name = metadata.get('name');
  const folderId = metadata.get('folderId');
  return {
    length,
    filename: (metadata.get('filename') ?? '').split(/[/\\]/).at(-1)?.slice(0, 200) ?? '',
    ...(name ? { name: name.slice(0, 200) } : {}),
    ...(folderId ? { folderId } : {}),
  };
}

/** `key base64,key base64` as defined by tus. */
function readMetadata(header: string): Map<string, string> {
  const metadata = new Map<string, string>();
  for (const pair of header.split(',')) {
    const [key = '', value = ''] = pair.trim().split(/\s+/);
    const text = Buffer.from(value, 'base64').toString('utf8');
    if (!isStorable(text)) throw new ApiError('badRequest', { reason: `the metadata "${key}" cannot be stored` });
    if (key !== '') metadata.set(key, text);
  }
  return metadata;
}
