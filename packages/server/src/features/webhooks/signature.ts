import { createHash, createHmac } from 'node:crypto';
import { WEBHOOK_HEADERS } from '@figurehead/contract';

/**
 * The two signature headers of interface.md 6.3: HMAC-SHA256, lower-case hex, over the timestamp, one dot, and the body's bytes.
 * @param options.timestampMs milliseconds since the epoch, sent as a plain integer.
 */
export function signatureHeaders(options: {
  secret: string;
  timestampMs: number;
  body: Uint8Array;
}): Record<string, string> {
  const timestamp = String(Math.trunc(options.timestampMs));
  const signature = createHmac('sha256', options.secret).update(`${timestamp}.`).update(options.body).digest('hex');
  return { [WEBHOOK_HEADERS.timestamp]: timestamp, [WEBHOOK_HEADERS.signature]: signature };
}

/** First 8 hex characters of the secret's SHA-256: enough to identify the stored secret, not to recover it. */
export function secretFingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 8);
}
