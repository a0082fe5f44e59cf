import { createHash, createHmac } from 'node:crypto';
import { STANDARD_WEBHOOK_HEADERS, WEBHOOK_HEADERS } from '@figurehead/contract/endpoints';

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

/**
 * The three headers of Standard Webhooks: HMAC-SHA256, base64, over id, timestamp and body with dots between them. The
 * key of a `whsec_` secret is its base64-decoded rest; any other secret is used as the key itself, in UTF-8 (its
 * `whsec_` form is `whsec_` followed by its base64).
 * @param options.timestampMs sent in whole seconds, as that specification requires.
 */
export function standardHeaders(options: {
  secret: string;
  id: string;
  timestampMs: number;
  body: Uint8Array;
}): Record<string, string> {
  const { secret, id, body } = options;
  const timestamp = String(Math.floor(options.timestampMs / 1000));
  const signature = createHmac('sha256', standardKey(secret))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest('base64');
  return {
    [STANDARD_WEBHOOK_HEADERS.id]: id,
    [STANDARD_WEBHOOK_HEADERS.timestamp]: timestamp,
    [STANDARD_WEBHOOK_HEADERS.signature]: `v1,${signature}`,
  };
}

function standardKey(secret: string): Buffer {
  const coded = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : '';
  const key = Buffer.from(coded, 'base64');
  const isBase64 = key.length > 0 && key.toString('base64').replace(/={1,2}$/, '') === coded.replace(/={1,2}$/, '');
  return isBase64 ? key : Buffer.from(secret, 'utf8');
}

/** First 8 hex characters of the secret's SHA-256: enough to identify the stored secret, not to recover it. */
export function secretFingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 8);
}
