import { createClient, type Figurehead } from '@figurehead/sdk';
import type { FastifyInstance, InjectOptions } from 'fastify';

/**
 * A client whose calls reach this server's own routes without a connection: the same checks and limits apply as to a
 * program outside.
 * @param caller the caller's token and address.
 */
export function inProcessClient(app: FastifyInstance, caller: { token: string; address: string }): Figurehead {
  return createClient({
    baseUrl: 'http://localhost',
    token: caller.token,
    // The agent decides about waiting: a call must not hold its answer back.
    maxRetries: 0,
    maxRateLimitWaitSeconds: 0,
    async fetch(input, init) {
      const request = new Request(input, init);
      const { pathname, search } = new URL(request.url);
      const answer = await app.inject({
        method: request.method as NonNullable<InjectOptions['method']>,
        url: pathname + search,
        headers: Object.fromEntries(request.headers),
        remoteAddress: caller.address,
        ...(request.body !== null && { payload: Buffer.from(await request.arrayBuffer()) }),
        signal: request.signal,
      });
      const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
      return new Response(answer.statusCode === 204 ? null : new Uint8Array(answer.rawPayload), {
        status: answer.statusCode,
        headers,
      });
    },
  });
}
