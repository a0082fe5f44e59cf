import { IncomingMessage } from 'node:http';
import websocket, { type WebSocket } from '@fastify/websocket';
import { API_PREFIX } from '@figurehead/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '../errors.js';
import type { Caller, SocketBinding } from './contract.js';
import { endOfRight } from './events.js';
import type { Slots } from './slots.js';

/** The protocol that our client requests, and the prefix of the one that carries its token. */
const PROTOCOL = 'figurehead';
const BEARER = 'bearer.';
/** Largest message, bytes: more than 10 s of sound at 48 kHz. */
const MAX_MESSAGE = 1024 * 1024;

/** Messages that a peer may send at once, and each second on average: sound in packets of 10 ms, up to 10 s ahead. */
const MESSAGE_BURST = 2000;
const MESSAGES_PER_SECOND = 200;
/** A peer that was cut off gets the reason within this time. */
const FAREWELL_MS = 1000;
/** RFC 6455 section 7.4.1: the peer violates a policy. */
const POLICY = 1008;
/** A close reason has at most 123 bytes. */
const MAX_REASON_BYTES = 120;

declare module 'fastify' {
  interface FastifyRequest {
    /** Handles the socket when it is open. */
    takeSocket: ((socket: WebSocket) => void) | undefined;
  }
}

/**
 * The `Authorization` of a browser's handshake: browsers cannot set the header, so the token is sent as the name of a
 * protocol (RFC 6455, section 1.9), which servers and proxies do not log, unlike URLs.
 */
export function bearerOfProtocols(header: string | undefined): string | undefined {
  const token = header
    ?.split(',')
    .map((name) => name.trim())
    .find((name) => name.startsWith(BEARER));
  return token && `Bearer ${token.slice(BEARER.length)}`;
}

/**
 * Requests whose wish for another protocol counts only for a WebSocket where there is one, and is ignored otherwise (RFC 9110, section 7.8). Node passes
 * every wish on with the bare connection, which nothing would end after an ordinary answer; the server of WebSockets refuses others, such as Java's for
 * HTTP/2. For `http.createServer`.
 * @param bindings those of the API, by their paths.
 */
export function upgradableMessages(bindings: ReadonlyMap<string, SocketBinding>): typeof IncomingMessage {
  return class extends IncomingMessage {
    // Not initialised here: the constructor of the base class sets it.
    declare private isUpgradeWanted: boolean | null;

    get upgrade(): boolean {
      const isSocket = () =>
        [...bindings.keys()].some((path) => this.url?.startsWith(`${API_PREFIX}${path.split(':', 1)[0]}`));
      return this.isUpgradeWanted === true && this.headers.upgrade?.toLowerCase() === 'websocket' && isSocket();
    }

    /** Set by Node. */
    set upgrade(wanted: boolean | null) {
      this.isUpgradeWanted = wanted;
    }
  };
}

/**
 * Enables WebSockets in the scope of the API. Call it before adding the hooks, because it closes the connection of a
 * handshake that a hook refuses.
 */
export async function openSockets(api: FastifyInstance, log: Logger): Promise<void> {
  await api.register(websocket, {
    options: {
      maxPayload: MAX_MESSAGE,
      handleProtocols: (names: Set<string>) => (names.has(PROTOCOL) ? PROTOCOL : false),
    },
    errorHandler: (error, socket) => {
      log.debug({ err: error }, 'a WebSocket broke');
      socket.terminate();
    },
  });
  api.decorateRequest('takeSocket', undefined);
}

/**
 * Ends a socket with a code and a reason. A peer that did something wrong is read no further: it could go on sending at any rate until it answers.
 * @param code of RFC 6455 section 7.4.1; 1000 waits for the peer's answer as usual.
 */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, cutToBytes(reason, MAX_REASON_BYTES));
  if (code === 1000 || socket.readyState === socket.CLOSED) return;
  socket.pause();
  const timer = setTimeout(() => socket.terminate(), FAREWELL_MS);
  socket.once('close', () => clearTimeout(timer));
}

function cutToBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  // As part of a stream, a character that is cut in half is left out.
  return bytes.length <= most ? text : new TextDecoder().decode(bytes.subarray(0, most), { stream: true });
}

/** Closes the socket when its caller's credentials end, or when it sends too many messages. */
function guard(socket: WebSocket, isKnown: () => Promise<boolean>): void {
  const over = new AbortController();
  socket.once('close', () => over.abort());
  void endOfRight(isKnown, over.signal).then((mayGoOn) => {
    if (!mayGoOn) closeSocket(socket, POLICY, 'the token or session has ended');
  });
  let left = MESSAGE_BURST;
  let countedMs = performance.now();
  socket.on('message', () => {
    const nowMs = performance.now();
    left = Math.min(MESSAGE_BURST, left + ((nowMs - countedMs) / 1000) * MESSAGES_PER_SECOND) - 1;
    countedMs = nowMs;
    if (left < 0 && socket.readyState === socket.OPEN)
      closeSocket(socket, POLICY, `too many messages: at most ${MESSAGES_PER_SECOND} a second`);
  });
}

/** Serves WebSockets in the scope of the API, whose hooks identify the caller. */
export function serveSockets(
  api: FastifyInstance,
  bindings: ReadonlyMap<string, SocketBinding>,
  { slots, log, isKnown }: { slots: Slots; log: Logger; isKnown: (request: FastifyRequest) => Promise<boolean> },
): void {
  for (const [path, binding] of bindings) {
    const preHandler = async (request: FastifyRequest): Promise<void> => {
      if (!request.ws)
        throw new ApiError('unknownPath', { method: request.method, path: request.url.split('?')[0] ?? '' });
      // The hook of the scope refused unknown callers.
      const caller = request.caller as Caller;
      request.takeSocket = await slots.run(caller.workspace.id, () =>
        binding.open({
          caller,
          params: request.params as Record<string, string>,
          query: request.query as Record<string, unknown>,
          log: log.child({ requestId: request.id }),
        }),
      );
    };
    api.get(path, { websocket: true, preHandler }, (socket, request) => {
      guard(socket, () => isKnown(request));
      request.takeSocket?.(socket);
    });
  }
}
