import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineQueues, openTestKernel, type TestKernel } from '../../../../../tests/support/kernel.js';
import { SECRET_HEADER } from '../../features/streams/host/host-protocol.js';
import { openHostServer } from '../../features/streams/host/host-server.js';
import type { SessionRegistry } from '../../features/streams/host/session-registry.js';
import { loadConfig } from '../config/config.js';
import { carriedContext, contextHeaders, currentContext, inContext, readCarried } from './call-context.js';
import { createLog } from './log.js';

const SPAN = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };

describe('the context of a request', () => {
  let house: TestKernel;
  beforeAll(async () => {
    house = await openTestKernel();
  });
  afterAll(() => house.close());

  test('follows awaited calls, and ends with the request', async () => {
    const [one, two] = await Promise.all(
      ['one', 'two'].map((requestId) =>
        inContext({ requestId }, async () => {
          await delay(5);
          return currentContext().requestId;
        }),
      ),
    );
    expect([one, two, currentContext()]).toEqual(['one', 'two', {}]);
  });

  test('is passed as headers, and only in the valid format', () => {
    expect(contextHeaders()).toEqual({});
    const headers = inContext({ requestId: 'r1', span: SPAN }, contextHeaders);
    expect(headers).toEqual({ 'x-request-id': 'r1', traceparent: `00-${SPAN.traceId}-${SPAN.spanId}-01` });
    expect(readCarried({ requestId: 'r1', traceparent: headers['traceparent'] })).toEqual({
      requestId: 'r1',
      span: SPAN,
    });
    for (const requestId of ['', 'a b', 'x'.repeat(65), '"}\n{"level":60', ['a'], 7])
      expect(readCarried({ requestId })).toEqual({});
    for (const traceparent of ['00-1-2-3', `00-${SPAN.traceId}-${SPAN.spanId}`, 1])
      expect(readCarried({ traceparent })).toEqual({});
    expect(readCarried(undefined)).toEqual({});
  });

  test('is passed with a job to the process that runs it, and leaves its data unchanged', async () => {
    const { kernel } = house;
    await defineQueues(kernel.config.databaseUrl, { carried: { heartbeatSeconds: 10, attempts: 1 } });
    const seen: unknown[] = [];
    const ran = new Promise<void>((resolve) => {
      void kernel.queue.work('carried', { concurrency: 1 }, async (job) => {
        seen.push([job.data, carriedContext()?.requestId]);
        if (seen.length === 2) resolve();
      });
    });
    const enqueue = (n: number) => kernel.transaction((tx) => kernel.queue.enqueue(tx, 'carried', { n }));
    await inContext({ requestId: 'asked-for-it' }, () => enqueue(1));
    await enqueue(2);
    await ran;
    expect(seen).toEqual([
      [{ n: 1 }, 'asked-for-it'],
      [{ n: 2 }, undefined],
    ]);
  });

  test('is passed to a stream host, and is part of its log lines', async () => {
    const out = new PassThrough();
    const log = createLog(loadConfig({ env: { FIGUREHEAD_LOG_FORMAT: 'json' } }), 'streams', out);
    const stage = {
      async close() {
        log.info('ended');
        throw new Error('broken');
      },
    } as unknown as SessionRegistry;
    const host = await openHostServer(stage, { host: '127.0.0.1', port: 0, secret: 'hush', log });
    const headers = inContext({ requestId: 'from-the-api' }, contextHeaders);
    const answer = await fetch(`${host.url}/streams/s1`, {
      method: 'DELETE',
      headers: { ...headers, [SECRET_HEADER]: 'hush' },
    });
    expect(answer.status).toBe(500);
    await answer.text();
    await host.close();
    const lines = (await out.end().toArray()).join('').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { requestId: string }).requestId)).toEqual([
      'from-the-api',
      'from-the-api',
    ]);
  });
});
