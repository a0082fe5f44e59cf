import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { overloaded } from '../errors.js';
import { addressesIn, networkOf } from '../network/addresses.js';

/** Node's limits of a connection, for `http.createServer`. Bodies have separate limits: {@link watchBodies}. */
export const CONNECTION_LIMITS = {
  /** Maximum time for all headers of a request, and maximum silence of a new connection. */
  headersTimeout: 15_000,
  connectionsCheckingInterval: 2000,
} as const;

/** Maximum silence of a body. */
const SILENT_BODY_MS = 30_000;
/** Minimum mean rate of a body that takes longer than {@link SILENT_BODY_MS}; slower than any modem. */
const LEAST_BYTES_PER_SECOND = 512;
const LOOK_EVERY_MS = 1000;

/** Bodies of one workspace that one process receives at once. They hold memory (5 MB of JSON each) or a temporary file. */
const MAX_BODIES = 100;

/**
 * Closes connections of an address that has more than `most` open. Proxies forward the connections of many callers, so they are not counted.
 * @param options.most 0: no limit.
 */
export function limitConnections(
  server: Server,
  { most, proxies }: { most: number; proxies: readonly string[] },
): void {
  if (most === 0) return;
  const isProxy = addressesIn(proxies);
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isProxy(remoteAddress)) return;
    const network = networkOf(remoteAddress);
    const count = open.get(network) ?? 0;
    if (count >= most) return void socket.destroy();
    open.set(network, count + 1);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  });
}

/**
 * Lets the server close once its running requests have ended. Node also waits for connections on which no request has come, such as those that
 * browsers open in advance, and for the silence of those that stay open after their last request.
 */
export function releaseConnections(app: FastifyInstance): void {
  const open = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', async () => {
    app.server.keepAliveTimeout = 1;
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}

/** Size of the operating system's accept queue: Node's default. */
const BACKLOG = 511;
/** Number of turns of the event loop after such a burst in which further connections do not delay requests. */
const REST = 64;

/**
 * The returned function is true while connections are arriving; no request should start then. Node's event loop accepts
 * one connection per turn: after a burst of 300 the next caller waits 300 turns, which takes seconds if each turn also
 * handles requests. Endless new connections do not delay requests forever.
 */
export function watchArrivals(server: Server): () => boolean {
  let isWatched = false;
  let hasArrived = false;
  let turns = 0;
  const look = (): void => {
    turns += 1;
    isWatched = turns < BACKLOG ? hasArrived : turns < BACKLOG + REST;
    hasArrived = false;
    if (isWatched) setImmediate(look);
  };
  server.on('connection', () => {
    hasArrived = true;
    if (isWatched) return;
    isWatched = true;
    turns = 0;
    setImmediate(look);
  });
  return () => isWatched && turns < BACKLOG;
}

/** An incomplete body. */
interface OpenBody {
  readonly startedAt: number;
  /** Bytes of the connection before this body. */
  readonly before: number;
  bytes: number;
  heardAt: number;
}

/**
 * Ends requests whose bodies stop or are too slow with Node's response to a late request (408), and closes the connection. Uploads have no time limit
 * while they progress.
 */
export function watchBodies(
  app: FastifyInstance,
  { silentMs = SILENT_BODY_MS, leastBytesPerSecond = LEAST_BYTES_PER_SECOND, lookEveryMs = LOOK_EVERY_MS } = {},
): void {
  const open = new Map<FastifyRequest, OpenBody>();
  app.addHook('onRequest', (request, _reply, done) => {
    if (hasBody(request)) {
      const now = performance.now();
      const bytes = request.socket.bytesRead ?? 0;
      open.set(request, { startedAt: now, before: bytes, bytes, heardAt: now });
    }
    done();
  });
  const look = () => {
    const now = performance.now();
    for (const [request, body] of open) {
      const { raw, socket } = request;
      if (raw.complete || raw.destroyed || socket.destroyed) {
        open.delete(request);
        continue;
      }
      // Unread bytes are buffered, so the server itself causes the delay.
      if (socket.bytesRead > body.bytes || raw.readableLength > 0) {
        body.bytes = socket.bytesRead;
        body.heardAt = now;
      }
      const seconds = (now - body.startedAt) / 1000;
      const isSlow = now - body.startedAt > silentMs && body.bytes - body.before < seconds * leastBytesPerSecond;
      if (now - body.heardAt > silentMs || isSlow) giveUp(app.server, socket);
    }
  };
  const timer = setInterval(look, lookEveryMs).unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

/**
 * Refuses (429) more than {@link MAX_BODIES} incomplete bodies of one workspace at once; a body that arrived with its headers does not count. Register it after the
 * hook that authenticates the caller.
 */
export function limitBodies(app: FastifyInstance): void {
  const open = new Map<string, number>();
  app.addHook('preParsing', async ({ caller, raw }) => {
    // A body whose connection has closed emits nothing any more.
    if (caller === undefined || raw.complete !== false || raw.destroyed) return;
    const { id } = caller.workspace;
    const count = open.get(id) ?? 0;
    if (count >= MAX_BODIES) throw overloaded();
    open.set(id, count + 1);
    // Emitted once, at the end of the body or when its connection breaks.
    raw.once('close', () => {
      const left = (open.get(id) ?? 1) - 1;
      if (left === 0) open.delete(id);
      else open.set(id, left);
    });
  });
}

/**
 * Reads and drops what an answer leaves of a body. Closing a connection with unread bytes resets it, and a client that is still sending would not see
 * the answer; one whose connection closes after the answer gets it when it has sent everything.
 */
export function dropBodies(app: FastifyInstance): void {
  app.addHook('onSend', async ({ raw }, reply) => {
    if (raw.complete !== false || raw.destroyed) return;
    reply.removeHeader('Connection');
    raw.unpipe().resume();
    if (!reply.raw.shouldKeepAlive) await once(raw, 'close');
  });
}

function hasBody({ headers, raw }: FastifyRequest): boolean {
  return (
    raw.complete === false && (headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0)
  );
}

function giveUp(server: Server, socket: Socket): void {
  const error = Object.assign(new Error('the body of the request stopped coming'), {
    code: 'ERR_HTTP_REQUEST_TIMEOUT',
  });
  // Like Node's own timeouts, so that one handler responds to all of them.
  server.emit('clientError', error, socket);
}
