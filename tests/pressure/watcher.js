// A process that watches a server during an attack: it calls `/healthz` every 100 ms and, as an innocent workspace, `GET /videos` 20 times per second.
// It is a separate process, so that the load of the attacking client does not count as slowness of the server.
import { createWire } from './wire.js';

const HEALTH_EVERY_MS = 100;
const CALL_EVERY_MS = 50;
/** Timeout of a call. */
const PATIENCE_MS = 8000;
/** Maximum open calls of the innocent workspace when the server does not respond. */
const MAX_OPEN = 20;

const [, , url, token] = process.argv;
const wire = createWire(url);
const seen = { health: [], innocent: [] };
const open = new Set();
let openCalls = 0;

function watch(kept, path, options) {
  const calling = wire.call('GET', path, { ...options, patienceMs: PATIENCE_MS }).then(({ status, ms }) => {
    kept.push({ status, ms });
    open.delete(calling);
  });
  open.add(calling);
  return calling;
}

const health = setInterval(() => {
  if (open.size - openCalls < MAX_OPEN) void watch(seen.health, '/healthz', {});
}, HEALTH_EVERY_MS);
const calls = setInterval(async () => {
  if (openCalls >= MAX_OPEN) return;
  openCalls += 1;
  await watch(seen.innocent, '/api/v1/videos', { token });
  openCalls -= 1;
}, CALL_EVERY_MS);

process.once('message', async () => {
  clearInterval(health);
  clearInterval(calls);
  await Promise.all(open);
  process.send(seen, () => process.exit(0));
});
process.once('disconnect', () => process.exit(1));
process.send('watching');
