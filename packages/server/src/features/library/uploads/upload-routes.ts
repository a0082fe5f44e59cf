import { API_PREFIX } from '@figurehead/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kernel } from '../../../kernel/contract.js';
import { ApiError } from '../../../kernel/errors.js';
import { limitBodies } from '../../../kernel/http/connections.js';
import type { Caller, Http } from '../../../kernel/http/contract.js';
import { isStorable } from '../../../kernel/http/json.js';
import type { Inspector } from '../inspection/inspector.js';
import type { UploadRow } from './upload-store.js';
import { finishUpload, loadUpload, type NewUpload, receivePart, removeUpload, startUpload } from './uploads.js';

// Resumable uploads with tus 1.0 (https://tus.io/protocols/resumable-upload) with its extensions creation,
// creation-with-upload, expiration and termination. Beyond the protocol: metadata `name` and `folderId`, and `X-Media-Id` on the request that completes
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
          'Tus-Extension': 'creation,creation-with-upload,expiration,termination',
          'Tus-Max-Size': maxBytes,
        })
        .send();
    scope.options(PATH, describe);
    scope.options(`${PATH}/:id`, describe);

    const receive = partReceiver(http, kernel, inspector);
    scope.post(PATH, async (request, reply) => {
      const caller = callerOf(request);
      const file = readAnnouncement(request);
      const row = await http.inSlot(caller, () => startUpload(kernel, caller.workspace.id, file));
      const received = hasPart(request) ? await receive(request, row) : undefined;
      return reply
        .code(201)
        .headers({
          Location: `${kernel.config.url}${PATH}/${row.id}`,
          'Upload-Expires': row.expiresAt.toUTCString(),
          ...received,
        })
        .send();
    });

    const operations = uploadOperations(http, kernel, receive);
    scope.route({
      method: [...operations.keys(), 'POST'],
      url: `${PATH}/:id`,
      // The header replaces the method, for clients behind proxies that let only some methods pass.
      handler: async (request, reply) => {
        const method = String(request.headers['x-http-method-override'] ?? request.method).toUpperCase();
        const operation = operations.get(method);
        return operation === undefined ? reply.callNotFound() : await operation(request, reply);
      },
    });
  });
}

/** Stores a part. Resolves with the headers that say so; `undefined` when another request was faster. */
type ReceivePart = (request: FastifyRequest, row: UploadRow) => Promise<Record<string, string> | undefined>;

function partReceiver(http: Http, kernel: Kernel, inspector: Inspector): ReceivePart {
  return async (request, row) => {
    const inSlot = <T>(work: () => Promise<T>) => http.inSlot(callerOf(request), work);
    const offset = await receivePart(kernel, row, request.raw, inSlot);
    if (offset === undefined) return undefined;
    const isWhole = offset === Number(row.length);
    const mediaId = isWhole ? await inSlot(() => finishUpload(kernel, inspector, row.id)) : undefined;
    return { 'Upload-Offset': String(offset), ...(mediaId === undefined ? {} : { 'X-Media-Id': mediaId }) };
  };
}

/** Whether a request has a part of a file, by its media type without parameters (RFC 9110 section 8.3.1). */
function hasPart({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === PART_TYPE;
}

/** What may be done with one upload, by the method that asks for it. */
function uploadOperations(
  http: Http,
  kernel: Kernel,
  receive: ReceivePart,
): ReadonlyMap<string, (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>> {
  const load = (request: FastifyRequest) => loadUpload(kernel, callerOf(request), idOf(request));

  const head = async (request: FastifyRequest, reply: FastifyReply) => {
    const row = await http.inSlot(callerOf(request), () => load(request));
    return reply
      .code(200)
      .headers({
        'Upload-Offset': String(row.received),
        'Upload-Length': String(row.length),
        'Upload-Metadata': formatMetadata({ filename: row.filename, name: row.name, folderId: row.folderId }),
        'Upload-Expires': row.expiresAt.toUTCString(),
        ...(row.mediaId ? { 'X-Media-Id': row.mediaId } : {}),
      })
      .send();
  };

  const patch = async (request: FastifyRequest, reply: FastifyReply) => {
    const row = await http.inSlot(callerOf(request), () => load(request));
    if (!hasPart(request)) {
      return reply.code(415).send({ message: `The Content-Type of a part must be ${PART_TYPE}.` });
    }
    const conflict = () =>
      reply.code(409).send({ message: 'The Upload-Offset differs from the current offset of the upload.' });
    if (readCount(request, 'upload-offset') !== Number(row.received)) return conflict();
    const received = await receive(request, row);
    if (received === undefined) return conflict();
    return reply
      .code(204)
      .headers({ 'Upload-Expires': row.expiresAt.toUTCString(), ...received })
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
  const { headers } = request;
  if (headers['upload-concat'] !== undefined)
    throw new ApiError('badRequest', {
      reason: 'a file cannot be sent in parallel parts (Upload-Concat); send it as one upload',
    });
  if (headers['upload-defer-length'] !== undefined)
    throw new ApiError('badRequest', {
      reason: 'the length of a file must be known (Upload-Length instead of Upload-Defer-Length)',
    });
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

/** What {@link readMetadata} reads. */
function formatMetadata(values: Readonly<Record<string, string | null>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== null && value !== '')
    .map(([key, value]) => `${key} ${Buffer.from(value ?? '').toString('base64')}`)
    .join(',');
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
