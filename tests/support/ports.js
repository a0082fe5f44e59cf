import { createServer } from 'node:net';

/**
 * The system assigns ports from 32 768 on to connections and to servers that do not choose one, so they may be taken at
 * any time.
 */
const PORTS = { first: 12_000, each: 5000, workers: 4 };
let nextPort = Math.floor(Math.random() * PORTS.each);

/** A free TCP port of the loopback that neither the system nor another worker of this run assigns. */
export async function freePort() {
  const worker = Number(process.env['VITEST_POOL_ID'] ?? 0) % PORTS.workers;
  for (;;) {
    const port = PORTS.first + worker * PORTS.each + (nextPort++ % PORTS.each);
    if (await isFree(port)) return port;
  }
}

function isFree(port) {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
