import { setTimeout as sleep } from 'node:timers/promises';
import { head, openConnections } from '../wire.js';

/** How long idle connections are held. */
const HELD_MS = 6000;
const SIGN_IN = '/api/v1/session';

async function abort(stage, { count, bytes }) {
  const sockets = await openConnections(stage.url, count, bytes);
  await sleep(500);
  for (const socket of sockets) socket.destroy();
  await sleep(2500);
  return { sent: count, answers: [] };
}

async function hold(stage, { count, bytes }) {
  const sockets = await openConnections(stage.url, count, bytes);
  await sleep(HELD_MS);
  for (const socket of sockets) socket.destroy();
  return { sent: count, answers: [] };
}

/** Attacks by a client without a login that uses only connections, and by an authenticated caller that hangs up. */
export const CONNECTION_ATTACKS = [
  {
    name: 'aborted-bodies',
    what: '150 sign-ins that hang up after one byte of their body',
    quick: true,
    run: (stage) => abort(stage, { count: 150, bytes: `${head(SIGN_IN)}{` }),
  },
  {
    name: 'aborted-uploads',
    what: '110 uploads with a token that hang up in the middle',
    quick: true,
    run: (stage) => {
      const type = 'multipart/form-data; boundary=b';
      const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
      const start = head('/api/v1/media', { token: stage.attacker.token, type, length: 100_000 });
      return abort(stage, { count: 110, bytes: `${start}${part}${'x'.repeat(2000)}` });
    },
  },
  {
    name: 'slow-bodies',
    what: '150 sign-ins whose body never ends, held 6 s',
    quick: true,
    run: (stage) => hold(stage, { count: 150, bytes: `${head(SIGN_IN)}{` }),
  },
  {
    name: 'slow-headers',
    what: '150 requests whose header never ends, held 6 s',
    quick: true,
    run: (stage) => hold(stage, { count: 150, bytes: 'GET /api/v1/videos HTTP/1.1\r\nHost: figurehead\r\nX-Slow: ' }),
  },
  {
    name: 'idle-connections',
    what: '500 connections without a request, held 6 s',
    run: (stage) => hold(stage, { count: 500 }),
  },
];
