import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web site on its own loopback port: a different origin from every other server. */
export interface Site {
  /** Without a trailing slash. */
  readonly origin: string;
  close(): Promise<void>;
}

/** @param answer serves a request; its error becomes a 500. */
export async function openSite(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
): Promise<Site> {
  const server = createServer((request, response) => {
    Promise.resolve(answer(request, response)).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
