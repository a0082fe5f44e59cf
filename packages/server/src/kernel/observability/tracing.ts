import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { request } from 'undici';
import type { Lifecycle, Tracing } from '../contract.js';
import { type CallContext, currentContext, inContext } from './call-context.js';

/** Interval at which spans are sent in batches. */
const SEND_EVERY_MS = 2000;
/** More unsent spans are dropped: an unreachable collector must not exhaust memory. */
const MAX_WAITING = 2000;
const SEND_AT_MOST = 500;
const SEND_WITHIN_MS = 5000;
/** Interval of warnings about an unreachable collector. */
const COMPLAIN_EVERY_MS = 60_000;

/** OTLP constants (opentelemetry-proto, trace.proto): kinds of spans, and the status of a failed one. */
const KINDS = { internal: 1, server: 2, consumer: 5 } as const;
const STATUS_ERROR = 2;

interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: { key: string; value: { stringValue: string } | { doubleValue: number } }[];
  readonly status?: { code: number; message: string };
}

/** Disabled tracing: work runs directly, at no cost. */
export const NO_TRACING: Tracing = Object.freeze({
  enabled: false,
  span: <T>(_options: object, work: () => Promise<T>) => work(),
});

/**
 * Sends traces to an OpenTelemetry collector: OTLP over HTTP with JSON bodies, which every collector accepts at
 * `/v1/traces`. Spans that cannot be sent are dropped; work never waits for them. Closes with the lifecycle, after a
 * last attempt.
 */
export function openTracing(options: {
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  service: { role: string; version: string };
  log: Logger;
  lifecycle: Lifecycle;
}): Tracing {
  const { endpoint, headers, service, log, lifecycle } = options;
  const address = endpoint.endsWith('/v1/traces') ? endpoint : `${endpoint}/v1/traces`;
  const waiting: FinishedSpan[] = [];
  let sending: Promise<void> = Promise.resolve();
  let complainedAt = 0;

  async function send(): Promise<void> {
    const spans = waiting.splice(0, SEND_AT_MOST);
    if (spans.length === 0) return;
    try {
      const { statusCode, body } = await request(address, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(envelope(service, spans)),
        signal: AbortSignal.timeout(SEND_WITHIN_MS),
      });
      await body.dump();
      if (statusCode >= 300) throw new Error(`the collector answered ${statusCode}`);
    } catch (error) {
      if (performance.now() - complainedAt < COMPLAIN_EVERY_MS) return;
      complainedAt = performance.now();
      log.warn({ reason: (error as Error).message, spans: spans.length }, 'traces could not be sent');
    }
  }

  const timer = setInterval(() => {
    sending = sending.then(send);
  }, SEND_EVERY_MS);
  timer.unref();
  lifecycle.onClose('tracing', async () => {
    clearInterval(timer);
    await sending;
    await send();
  });

  return {
    enabled: true,
    async span(what, work) {
      const outer: CallContext = currentContext();
      const span = { traceId: outer.span?.traceId ?? hex(16), spanId: hex(8) };
      const startedAt = now();
      const attributes = { ...what.attributes };
      let status: FinishedSpan['status'];
      try {
        return await inContext({ ...outer, span }, work);
      } catch (error) {
        if (what.isFailure?.(error) ?? true) {
          status = { code: STATUS_ERROR, message: error instanceof Error ? error.name : 'failed' };
        }
        throw error;
      } finally {
        if (outer.requestId !== undefined) attributes['figurehead.request_id'] = outer.requestId;
        if (waiting.length < MAX_WAITING) {
          waiting.push({
            ...span,
            ...(outer.span === undefined ? {} : { parentSpanId: outer.span.spanId }),
            name: what.name,
            kind: KINDS[what.kind ?? 'internal'],
            startTimeUnixNano: startedAt,
            endTimeUnixNano: now(),
            attributes: encode(attributes),
            ...(status === undefined ? {} : { status }),
          });
        }
      }
    },
  };
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

/** Nanoseconds since 1970 as text, because they exceed the precision of a number. */
function now(): string {
  return String(BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n);
}

function encode(attributes: Readonly<Record<string, string | number>>): FinishedSpan['attributes'] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { doubleValue: value } : { stringValue: value },
  }));
}

function envelope(service: { role: string; version: string }, spans: readonly FinishedSpan[]): object {
  const resource = encode({
    'service.name': 'figurehead',
    'service.namespace': service.role,
    'service.version': service.version,
  });
  return {
    resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope: { name: 'figurehead' }, spans }] }],
  };
}
