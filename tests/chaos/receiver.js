import { once } from 'node:events';
import { createServer } from 'node:http';

/** Answers every webhook and records it: `events` is a list of `{delivery, event, videoId, at}`. */
export async function openReceiver() {
  const events = [];
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const { event, video } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      events.push({ delivery: request.headers['delivery-id'], event, videoId: video._id, at: Date.now() });
      // Some answers are slow, so that senders are killed while they wait.
      setTimeout(() => response.end(), Math.random() < 0.2 ? 1500 : 0);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    events,
    url: `http://127.0.0.1:${server.address().port}/hook`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
