import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from './verify-webhook.js';

interface Vector {
  readonly name: string;
  readonly secret: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly valid: boolean;
  readonly reason?: string;
}

const { nowMs, vectors } = JSON.parse(
  readFileSync(new URL('../../../tests/fixtures/webhook-vectors.json', import.meta.url), 'utf8'),
) as { nowMs: number; vectors: Vector[] };
const now = () => nowMs;
const plain = vectors[0] as Vector;

describe('verifyWebhook', () => {
  it.each(vectors.filter(({ valid }) => valid))('accepts $name', async ({ secret, headers, body }) => {
    const event = await verifyWebhook(Buffer.from(body), headers, secret, { now });
    expect(event).toEqual(JSON.parse(body));
  });

  // Proves: 6.3.4, 6.3.5
  it.each(vectors.filter(({ valid }) => !valid))('refuses $name', async ({ secret, headers, body, reason }) => {
    await expect(verifyWebhook(Buffer.from(body), headers, secret, { now })).rejects.toMatchObject({
      name: 'WebhookVerificationError',
      reason,
    });
  });

  // Proves: 6.1.5
  it('accepts text, Buffer, Uint8Array and ArrayBuffer, and headers of fetch', async () => {
    const bytes = new TextEncoder().encode(plain.body);
    const headers = new Headers(plain.headers);
    for (const body of [plain.body, Buffer.from(plain.body), bytes, bytes.buffer]) {
      expect((await verifyWebhook(body, headers, plain.secret, { now })).event).toBe('video_ready');
    }
    // For a view into a larger buffer only its own part counts.
    const larger = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')]);
    const view = larger.subarray(6, 6 + bytes.length);
    expect((await verifyWebhook(view, headers, plain.secret, { now })).event).toBe('video_ready');
  });

  // Proves: 6.3.3
  it('refuses a parsed object and an empty secret', async () => {
    const parsed = JSON.parse(plain.body) as string;
    await expect(verifyWebhook(parsed, plain.headers, plain.secret, { now })).rejects.toThrow(TypeError);
    await expect(verifyWebhook(plain.body, plain.headers, '', { now })).rejects.toThrow(TypeError);
  });

  // Proves: 6.3.6
  it('refuses timestamps outside of the tolerance in both directions; 5 minutes by default', async () => {
    const at = (offsetMs: number, toleranceMs?: number) =>
      verifyWebhook(plain.body, plain.headers, plain.secret, {
        now: () => Number(plain.headers['Service-Timestamp']) + offsetMs,
        ...(toleranceMs === undefined ? {} : { toleranceMs }),
      });
    await expect(at(300_000)).resolves.toBeDefined();
    await expect(at(-300_000)).resolves.toBeDefined();
    await expect(at(300_001)).rejects.toMatchObject({ reason: 'stale_timestamp' });
    await expect(at(-300_001)).rejects.toMatchObject({ reason: 'stale_timestamp' });
    await expect(at(1_001, 1_000)).rejects.toMatchObject({ reason: 'stale_timestamp' });
    await expect(at(1e12, Number.POSITIVE_INFINITY)).resolves.toBeDefined();
    await expect(at(0, Number.NaN)).rejects.toBeInstanceOf(WebhookVerificationError);
  });

  it('refuses a repeated header', async () => {
    const signature = plain.headers['Service-Signature'] ?? '';
    const twice = { 'service-timestamp': '1767225600000', 'service-signature': [signature, signature] };
    await expect(verifyWebhook(plain.body, twice, plain.secret, { now })).rejects.toMatchObject({
      reason: 'missing_header',
    });
  });
});
