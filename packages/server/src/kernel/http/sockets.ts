import { IncomingMessage } from 'node:http';
import websocket, { type WebSocket } from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Caller, SocketBinding } from './contract.js';
import { ApiError } from './error.js';
import type { Slots } from './slots.js';

/** The protocol that our client requests, and the prefix of the one that carries its token. */
const PROTOCOL = 'figurehead';
const BEARER = 'bearer.';
/** Largest message, bytes: more than 10 s of sound at 48 kHz. */
const MAX_MESSAGE = 1024 * 1024;

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
 * A request, whose wish for another protocol than WebSocket is ignored (RFC 9110, section 7.8): Node passes every wish to the server of WebSockets,
 * which refuses others, such as Java's for HTTP/2. For `http.createServer`.
 */
export class UpgradableMessage extends IncomingMessage {
  declare private isUpgradeWanted: boolean | null;

  get upgrade(): boolean {
    return this.isUpgradeWanted === true && this.headers.upgrade?.toLowerCase() === 'websocket';
  }

  /** Set by Node. */
  set upgrade(wanted: boolean | null) {
    this.isUpgradeWanted = wanted;
  }
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

/** Serves WebSockets in the scope of the API, whose hooks identify the caller. */
export function serveSockets(
  api: FastifyInstance,
  bindings: ReadonlyMap<string, SocketBinding>,
  { slots, log }: { slots: Slots; log: Logger },
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
    api.get(path, { websocket: true, preHandler }, (socket, request) => request.takeSocket?.(socket));
  }
}
