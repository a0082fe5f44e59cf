import type { CallbackBody, WebhookBody } from '@figurehead/contract';

/** Reason for refusing a delivery. */
export type WebhookRefusal = 'missing_header' | 'bad_timestamp' | 'stale_timestamp' | 'bad_signature' | 'bad_body';

/** A delivery that is forged or unreadable. Answer it with a 4xx and ignore it. */
export class WebhookVerificationError extends Error {
  constructor(
    readonly reason: WebhookRefusal,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'WebhookVerificationError';
  }
}

/** Headers from `fetch`, Node's `http`, Express or Fastify; names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Options of {@link verifyWebhook}. */
export interface VerifyOptions {
  /**
   * Maximum difference of the timestamp from the clock, milliseconds; 300 000 (5 minutes) by default. Signatures never
   * expire, so without a tolerance (`Infinity`) a captured delivery can be replayed forever.
   */
  readonly toleranceMs?: number;
  /** The clock, milliseconds since the epoch; `Date.now` by default. */
  readonly now?: () => number;
}

const DEFAULT_TOLERANCE_MS = 5 * 60_000;

/**
 * Checks a webhook delivery (§6.3) and returns its body.
 * @param rawBody the exact received bytes. A parsed and re-serialised object does not work; a string works if it was
 * decoded as UTF-8.
 * @param secret the string given to `PUT /webhook/secret`.
 * @typeParam Body `CallbackBody` for calls to the `callbackUrl` of an import.
 * @throws WebhookVerificationError when a header is missing, the timestamp is outside of the tolerance, or the
 * signature is wrong.
 */
export async function verifyWebhook<Body extends CallbackBody = WebhookBody>(
  rawBody: Uint8Array | ArrayBuffer | string,
  headers: WebhookHeaders,
  secret: string,
  options: VerifyOptions = {},
): Promise<Body> {
  if (secret === '') throw new TypeError('The webhook secret is empty; expected the secret of the subscription.');
  const timestamp = readHeader(headers, 'service-timestamp');
  const signature = readHeader(headers, 'service-signature');
  const body = toBytes(rawBody);

  if (!/^\d{1,15}$/.test(timestamp)) {
    throw new WebhookVerificationError('bad_timestamp', 'Service-Timestamp is not a number of milliseconds.');
  }
  const { toleranceMs = DEFAULT_TOLERANCE_MS, now = Date.now } = options;
  if (!(Math.abs(now() - Number(timestamp)) <= toleranceMs)) {
    throw new WebhookVerificationError(
      'stale_timestamp',
      `Service-Timestamp is more than ${toleranceMs} ms away from the clock.`,
    );
  }
  if (!equalInConstantTime(signature, await sign(secret, timestamp, body))) {
    throw new WebhookVerificationError('bad_signature', 'Service-Signature does not match the body and the secret.');
  }
  return parse(body) as Body;
}

/** HMAC-SHA256 as lower-case hex over the timestamp, one dot and the raw body. */
async function sign(secret: string, timestamp: string, body: Uint8Array): Promise<string> {
  const encoder = new TextEncoder();
  const prefix = encoder.encode(`${timestamp}.`);
  const message = new Uint8Array(prefix.length + body.length);
  message.set(prefix);
  message.set(body, prefix.length);
  // WebCrypto is available in Node, browsers, Deno, Bun and edge workers.
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const mac = new Uint8Array(await subtle.sign('HMAC', key, message));
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Compares the length first, then in a time that does not depend on the position of the first difference. */
function equalInConstantTime(received: string, expected: string): boolean {
  if (received.length !== expected.length) return false;
  let difference = 0;
  for (let i = 0; i < expected.length; i += 1) difference |= received.charCodeAt(i) ^ expected.charCodeAt(i);
  return difference === 0;
}

/**
 * A header's only value. Absent, empty and repeated headers are refused alike: with a repeated one the intended value
 * is unclear.
 */
function readHeader(headers: WebhookHeaders, name: 'service-timestamp' | 'service-signature'): string {
  const values =
    headers instanceof Headers
      ? [headers.get(name) ?? '']
      : Object.entries(headers)
          .filter(([key]) => key.toLowerCase() === name)
          .flatMap(([, value]) => value ?? '');
  const [value] = values;
  if (values.length !== 1 || !value) {
    throw new WebhookVerificationError('missing_header', `Expected the header ${name} once, with a value.`);
  }
  return value;
}

function toBytes(rawBody: Uint8Array | ArrayBuffer | string): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody);
  throw new TypeError('verifyWebhook needs the raw body (bytes or text), not a parsed object.');
}

/** The signature is valid, so the body comes from the sender and has the contract's shape. */
function parse(body: Uint8Array): CallbackBody {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as CallbackBody;
  } catch (error) {
    throw new WebhookVerificationError('bad_body', 'The body is signed but is not JSON.', { cause: error });
  }
}
