import { finished } from 'node:stream/promises';
import { MAX_JSON_BYTES } from '@figurehead/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';
import { FairSemaphore } from '../../kernel/fair-semaphore.js';
import { limitBodies } from '../../kernel/http/connections.js';
import type { Http } from '../../kernel/http/contract.js';
import { ClientGone } from '../../kernel/http/failures.js';
import { inProcessClient } from './in-process.js';
import type { McpCatalogue } from './server.js';

/** Calls wait for films and hold a connection; the work itself takes the slots of the API. */
const CALLS = { atOnce: 256, perWorkspace: 16, waitingPerWorkspace: 32, waitMs: 20_000 } as const;

/** Time for the answers of calls that a stopping server ends, milliseconds. */
const GRACE_MS = 500;

/**
 * Serves the Model Context Protocol at `/mcp` (Streamable HTTP, without sessions) to API tokens. Each call of a tool
 * calls routes of the API with the caller's token. The protocol's library is loaded with the first call.
 */
export function serveMcp(http: Http, kernel: Kernel): void {
  const calls = new FairSemaphore(CALLS);
  let catalogue: Promise<McpCatalogue> | undefined;
  const identify = async (request: FastifyRequest) => {
    request.caller = await http.identify(request);
    if (request.caller?.kind !== 'api') throw new ApiError('unauthorized');
  };
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const { caller } = request;
    const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    if (caller === undefined || token === undefined) throw new ApiError('unauthorized');
    const { createMcpHandler } = await import('@modelcontextprotocol/server');
    const { createMcpServer, openCatalogue } = await import('./server.js');
    catalogue ??= openCatalogue().catch((error: unknown) => {
      catalogue = undefined;
      throw error;
    });
    const known = await catalogue;
    http.cutAtEnd(request, reply);
    const gone = new AbortController();
    if (reply.raw.destroyed) throw new ClientGone();
    reply.raw.once('close', () => gone.abort(new ClientGone()));
    const signal = AbortSignal.any([gone.signal, kernel.lifecycle.signal]);
    const client = inProcessClient(http.app, { token, address: request.ip });
    const onFailure = (error: unknown, tool: string) =>
      kernel.log.error({ err: error, requestId: request.id, tool }, 'a tool of the MCP server failed');
    await calls.run(
      caller.workspace.id,
      async () => {
        const handler = createMcpHandler(() => createMcpServer(known, { client, signal, onFailure }));
        // Calls answer that they were ended; what only listens is closed after them.
        const end = () => setTimeout(() => void handler.close(), GRACE_MS);
        signal.addEventListener('abort', end, { once: true });
        const response = await handler.fetch(webRequest(request, gone.signal), { parsedBody: request.body });
        reply.send(response);
        // The place is taken until the whole answer is sent. A client that leaves earlier is not a failure.
        await finished(reply.raw).catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
      },
      gone.signal,
    );
    return reply;
  };
  http.app.register(async (scope) => {
    // Before the body, which a stranger's call must not have parsed.
    scope.addHook('onRequest', identify);
    limitBodies(scope);
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp',
      config: { routeId: 'mcp' },
      bodyLimit: MAX_JSON_BYTES.any,
      handler: answer,
    });
  });
}

/** The request for the protocol's library; its body is parsed already. */
function webRequest({ method, headers, url }: FastifyRequest, signal: AbortSignal): Request {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')] as [string, string]],
  );
  return new Request(new URL(url, 'http://localhost'), { method, headers: pairs, signal });
}
