import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { loadConfig } from './config/config.js';
import { createIds } from './ids.js';
import { createLifecycle } from './lifecycle.js';
import { createLog } from './observability/log.js';
import { createMediaLinks } from './storage/media-links.js';

describe('ids', () => {
  // Proves: D.names.2
  test('are 24 hex characters that sort by creation, also when the clock steps back and the counter wraps', () => {
    let now = 1_700_000_000_000;
    const ids = createIds({ now: () => now }, (bytes) => Buffer.alloc(bytes, 0xff));
    const made: string[] = [];
    for (let i = 0; i < 5000; i++) {
      if (i % 100 === 0) now += i % 200 === 0 ? 1500 : -2000;
      made.push(ids.next());
    }
    expect(made.every((id) => /^[0-9a-f]{24}$/.test(id))).toBe(true);
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(5000);
  });
});

describe('the lifecycle', () => {
  test('accepts any number of listeners without a leak warning', async () => {
    const warnings: Error[] = [];
    const hear = (warning: Error) => void warnings.push(warning);
    process.on('warning', hear);
    const { signal } = createLifecycle(() => undefined);
    for (let n = 0; n < 30; n++) signal.addEventListener('abort', () => n);
    await turn();
    process.off('warning', hear);
    expect(warnings).toEqual([]);
  });

  test('closes once, last opened first, and lets no failure keep the others open', async () => {
    const closed: string[] = [];
    const failures: string[] = [];
    const lifecycle = createLifecycle((name, error) => failures.push(`${name}: ${(error as Error).message}`));
    lifecycle.onClose('first', () => void closed.push('first'));
    lifecycle.onClose('second', () => {
      throw new Error('stuck');
    });
    lifecycle.onClose('third', async () => void closed.push('third'));
    await Promise.all([lifecycle.close(), lifecycle.close()]);
    expect(closed).toEqual(['third', 'first']);
    expect(failures).toEqual(['second: stuck']);
    expect(lifecycle.signal.aborted).toBe(true);
  });
});

describe('the log', () => {
  function linesOf(format: string, act: (log: ReturnType<typeof createLog>) => void): string {
    const out = new PassThrough();
    act(createLog(loadConfig({ env: { FIGUREHEAD_LOG_FORMAT: format } }), 'api', out));
    return String(out.read() ?? '');
  }

  test('hides secrets at every level', () => {
    const line = linesOf('json', (log) =>
      log.info(
        { token: 'fh_1', request: { headers: { authorization: 'Bearer fh_1', cookie: 'fh_1', accept: 'all' } } },
        'hello',
      ),
    );
    expect(line).not.toContain('fh_1');
    expect(JSON.parse(line)).toMatchObject({
      role: 'api',
      msg: 'hello',
      request: { headers: { accept: 'all', cookie: '[secret]' } },
    });
  });

  test('describes errors without their objects, such as connections with their keys', () => {
    const away = Object.assign(new Error('away', { cause: new Error('no route') }), {
      code: '57P01',
      client: { key: 7 },
    });
    const line = linesOf('json', (log) => log.warn({ err: new AggregateError([away], 'both broke') }, 'hello'));
    expect(line).not.toContain('"key"');
    expect(JSON.parse(line).err).toMatchObject({
      message: 'both broke',
      aggregateErrors: [{ type: 'Error', message: 'away: no route', code: '57P01', stack: expect.any(String) }],
    });
    expect(JSON.parse(linesOf('json', (log) => log.warn({ err: 'thrown' }, 'hello'))).err).toBe('thrown');
  });

  test('is readable on request, with the stack of an error', () => {
    const line = linesOf('pretty', (log) => log.error({ err: new Error('broken'), video: 'v1' }, 'render failed'));
    expect(line).toMatch(/^\d\d:\d\d:\d\d ERROR api {5}render failed video=v1\n {4}Error: broken\n/);
  });
});

describe('media links', () => {
  let now = 1_700_000_000_000;
  const make = (secret: string) =>
    createMediaLinks({ baseUrl: 'https://x.example', secret, clock: { now: () => now } });
  const queryOf = (link: string) => Object.fromEntries(new URL(link).searchParams);

  test('open their object until they expire', () => {
    const link = make('s').link('w/v/file.mp4', 60, { downloadName: 'Ünser Film.mp4' });
    expect(new URL(link).pathname).toBe('/media/w/v/file.mp4');
    expect(make('s').verifyLink('w/v/file.mp4', queryOf(link))).toEqual({
      verdict: 'valid',
      downloadName: 'Ünser Film.mp4',
      expiresAt: new Date(now + 60_000),
    });
    now += 60_000;
    expect(make('s').verifyLink('w/v/file.mp4', queryOf(link))).toEqual({ verdict: 'expired' });
  });

  test('are invalid when any part was changed', () => {
    const query = queryOf(make('s').link('a/b', 60));
    const forged = [
      make('s').verifyLink('a/c', query),
      make('t').verifyLink('a/b', query),
      make('s').verifyLink('a/b', { ...query, expires: String(Number(query['expires']) + 1) }),
      make('s').verifyLink('a/b', { ...query, name: 'x.html' }),
      make('s').verifyLink('a/b', { ...query, signature: `${query['signature']}A` }),
      make('s').verifyLink('a/b', { ...query, signature: ['x'] }),
      make('s').verifyLink('a/b', {}),
    ];
    expect(forged.map((result) => result.verdict)).toEqual(forged.map(() => 'forged'));
  });
});
