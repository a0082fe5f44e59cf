/**
 * A webhook receiver in TypeScript: answers at once, works afterwards.
 *
 *   WEBHOOK_SECRET=… PORT=9000 npx tsx receiver.ts        (or plain `node receiver.ts` from Node 22.18 on)
 *
 * Environment: WEBHOOK_SECRET (required), PORT (9000), HOST (127.0.0.1), WEBHOOK_TOLERANCE_MS (300000).
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { pathToFileURL } from 'node:url';
import { verifyWebhook, type WebhookBody, WebhookVerificationError } from '@figurehead/sdk';

/** Largest accepted body, bytes. */
const MAX_BYTES = 5_000_000;

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A server that passes every valid delivery once to `onEvent`. The caller listens and closes. */
export function createReceiver(options: {
  secret: string;
  toleranceMs: number;
  onEvent: (event: WebhookBody, deliveryId: string) => void;
}): Server {
  // A captured delivery may be replayed within the tolerance. A receiver with several processes stores these ids in its
  // database.
  const seen = new Map<string, number>();
  return createServer((request, response) => {
    const answer = (status: number, text: string) => {
      response.writeHead(status, { 'Content-Type': 'text/plain' }).end(`${text}\n`);
    };
    const receive = async () => {
      if (request.method !== 'POST') return answer(405, 'POST only');
      const body = await readBody(request);
      if (!body) return answer(413, 'too large');
      const { toleranceMs } = options;
      const event = await verifyWebhook(body, request.headers, options.secret, { toleranceMs });
      // Answer 2xx first: the service waits 10 seconds, tries once, and disables the subscription after ten failures.
      answer(200, 'ok');
      for (const [id, at] of seen) if (Date.now() - at > 2 * toleranceMs) seen.delete(id);
      // The signature covers the timestamp and the body but not Delivery-ID, so repetitions are recognised by the
      // signature.
      const mark = String(request.headers['service-signature']);
      if (seen.has(mark)) return;
      seen.set(mark, Date.now());
      options.onEvent(event, String(request.headers['delivery-id'] ?? ''));
    };
    receive().catch((error: unknown) => {
      if (error instanceof WebhookVerificationError) return answer(401, error.reason);
      console.error(error);
      if (!response.headersSent) answer(500, 'internal error');
    });
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const secret = process.env.WEBHOOK_SECRET;
  if (!secret) throw new Error('WEBHOOK_SECRET is not set: take the string that you sent to PUT /webhook/secret.');
  const port = Number(process.env.PORT ?? 9000);
  const host = process.env.HOST ?? '127.0.0.1';
  createReceiver({
    secret,
    toleranceMs: Number(process.env.WEBHOOK_TOLERANCE_MS ?? 300_000),
    onEvent: (event, deliveryId) => {
      // Replace this line with your work. Events can be lost, so also poll GET /videos?status=ready,error regularly.
      console.log(deliveryId, event.event, event.video._id, event.error ?? event.video.url ?? '');
    },
  }).listen(port, host, () => console.log(`Waiting for deliveries on http://${host}:${port}/`));
}
