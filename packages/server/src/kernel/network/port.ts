import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { OperatorError } from '../operator-error.js';

/**
 * Checks that the process can listen on a TCP port.
 * @param options.port 0 picks a free one.
 * @param options.patienceMs how long a port in use is retried; roles of a killed supervisor need a moment to end.
 * @returns the port.
 * @throws OperatorError when it is in use or not permitted.
 */
export async function claimPort(options: { host: string; port: number; patienceMs: number }): Promise<number> {
  const { host, port } = options;
  const deadline = performance.now() + options.patienceMs;
  for (;;) {
    try {
      return await listenOnce(host, port);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && performance.now() < deadline) {
        await delay(200);
        continue;
      }
      throw explain(error, host, port);
    }
  }
}

/** Base URL at which this machine reaches a server that listens on `host`. */
export function localAddress(host: string, port: number): string {
  const reachable =
    host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  return `http://${reachable}:${port}`;
}

async function listenOnce(host: string, port: number): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === 'string') throw new Error('expected a TCP server with a port');
  return address.port;
}

function explain(error: unknown, host: string, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use by another program; set PORT to a free one.`,
    EACCES: `Port ${port} needs more rights than this user has; set PORT to one above 1023.`,
    EADDRNOTAVAIL: `The address ${host} does not belong to this machine; set HOST to one that does.`,
    ENOTFOUND: `The address ${host} cannot be resolved; set HOST to an address of this machine.`,
  };
  const sentence = code === undefined ? undefined : sentences[code];
  return sentence === undefined ? error : new OperatorError(sentence, { cause: error });
}
