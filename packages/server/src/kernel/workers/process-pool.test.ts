import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledUrl } from '@figurehead/media/basic';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { isAlive } from '../storage/processes.js';
import { ProcessPool, type ProcessPoolOptions } from './process-pool.js';

/** Simulates the effects of malicious files. */
const PROGRAM = `
import { setTimeout as delay } from 'node:timers/promises';
import { serveProcess } from ${JSON.stringify(compiledUrl('./process-program.js', import.meta.url).href)};
const kept = [];
serveProcess(async ({ act, ms, mb }) => {
  switch (act) {
    case 'crash': process.kill(process.pid, 'SIGSEGV'); return delay(10_000);
    case 'exit': process.exit(3);
    case 'throw': throw new Error('not foreseen');
    case 'refuse': throw new RangeError('no such file');
    case 'spin': for (;;);
    case 'swell': for (;;) { kept.push(Buffer.alloc(20_000_000, 1)); await delay(5); }
    case 'grow': kept.push(Buffer.alloc(mb * 1_000_000, 1)); return process.pid;
    case 'wait': await delay(ms); return process.pid;
    case 'noise': process.stderr.write('x'.repeat(5_000_000)); return process.pid;
    case 'environment': return Object.keys(process.env);
    default: return process.pid;
  }
}, (error) => error instanceof RangeError ? error.message : undefined);
`;

describe('a pool of processes', () => {
  let folder: string;
  let program: URL;
  let pool: ProcessPool | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-pool-'));
    program = pathToFileURL(join(folder, 'program.mjs'));
    await writeFile(program, PROGRAM);
  });
  afterEach(() => pool?.close());
  afterAll(() => rm(folder, { recursive: true, force: true }));

  function open(options: Partial<ProcessPoolOptions> = {}) {
    pool = new ProcessPool({
      program,
      processes: 2,
      heapMb: 200,
      memoryMb: 500,
      recycle: { jobs: 1000, memoryMb: 300 },
      idleMs: 60_000,
      turns: { perWorkspace: 2, waitingPerWorkspace: 500, waitMs: 60_000 },
      ...options,
    });
    const own = pool;
    return (act: string, more: { seconds?: number; signal?: AbortSignal; ms?: number; mb?: number } = {}, of = 'a') => {
      const { seconds = 30, signal, ...job } = more;
      return own.run<number>({ act, ...job }, { workspaceId: of, seconds, ...(signal && { signal }) });
    };
  }
  const pidOf = (outcome: { kind: string; value?: number }) => outcome.value ?? 0;
  const gone = (pid: number) => expect.poll(() => isAlive(pid)).toBe(false);

  it('does many jobs with few processes, which have no access to secrets', async () => {
    process.env.FH_POOL_SECRET = 'secret';
    const run = open();
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => run('pid')));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['done']));
    expect(new Set(outcomes.map(pidOf)).size).toBeLessThanOrEqual(2);
    delete process.env.FH_POOL_SECRET;
    const { value } = (await run('environment')) as unknown as { value: string[] };
    expect(value.filter((name) => name !== '__CF_USER_TEXT_ENCODING' && !name.startsWith('NODE_CHANNEL'))).toEqual([]);
  });

  it('stops any number of jobs with one signal, and leaves no listeners on it', async () => {
    const run = open();
    const caller = new AbortController();
    const listening = vi.spyOn(caller.signal, 'addEventListener');
    const jobs = Array.from({ length: 30 }, () => run('wait', { ms: 60_000, signal: caller.signal }));
    caller.abort(new Error('enough'));
    const ended = await Promise.allSettled(jobs);
    expect(ended.every((end) => end.status === 'rejected' && end.reason === caller.signal.reason)).toBe(true);
    expect(listening).not.toHaveBeenCalled();
  });

  it('replaces a process that crashes, exits, fails or refuses, and never reuses it', async () => {
    const run = open({ processes: 1 });
    for (const [act, outcome] of [
      ['crash', { kind: 'died', reason: 'crash' }],
      ['exit', { kind: 'died', reason: 'crash' }],
      ['throw', { kind: 'died', reason: 'crash' }],
      ['refuse', { kind: 'refused', refusal: 'no such file' }],
    ] as const) {
      const before = pidOf(await run('pid'));
      expect(await run(act), act).toMatchObject(outcome);
      expect(pidOf(await run('pid')), act).not.toBe(before);
      await gone(before);
    }
  });

  it('ends only the job that takes too long or too much memory', async () => {
    const run = open();
    const [slow, other] = await Promise.all([run('spin', { seconds: 1 }), run('wait', { ms: 2000 }, 'b')]);
    expect([slow, other]).toMatchObject([{ kind: 'died', reason: 'time' }, { kind: 'done' }]);
    if (process.platform === 'linux') expect(await run('swell')).toMatchObject({ kind: 'died', reason: 'memory' });
    expect(await run('pid')).toMatchObject({ kind: 'done' });
  });

  it('measures the time of a job from its begin, and refuses it as overload when no process starts in time', async () => {
    const slow = pathToFileURL(join(folder, 'slow.mjs'));
    await writeFile(slow, `await new Promise((resolve) => setTimeout(resolve, 3000));\n${PROGRAM}`);
    const run = open({ program: slow, processes: 1 });
    expect(await run('pid', { seconds: 2 })).toMatchObject({ kind: 'done' });
    await pool?.close();
    const late = open({ program: slow, startSeconds: 0.5 });
    const jobs = Array.from({ length: 10 }, () => late('pid').catch((error: unknown) => error));
    for (const one of jobs) expect(await one).toMatchObject({ status: 429, code: 'overloaded' });
  });

  it('ends a job immediately when its caller has left, many times in a row', async () => {
    const run = open();
    for (let round = 0; round < 5; round++) {
      const abort = new AbortController();
      const jobs = Array.from({ length: 10 }, () =>
        run('spin', { signal: abort.signal }).catch((error: Error) => error.message),
      );
      const [pid] = await expect
        .poll(() => pool?.pids() ?? [])
        .not.toEqual([])
        .then(() => pool?.pids() ?? []);
      abort.abort(new Error('left'));
      expect(new Set(await Promise.all(jobs))).toEqual(new Set(['left']));
      await gone(pid ?? 0);
    }
    expect(await run('pid')).toMatchObject({ kind: 'done' });
  });

  it('replaces a process after a number of jobs, and one whose memory has grown', async () => {
    const run = open({ processes: 1, recycle: { jobs: 5, memoryMb: 200 } });
    const pids: number[] = [];
    for (let job = 0; job < 20; job++) pids.push(pidOf(await run('pid')));
    expect(new Set(pids).size).toBe(4);
    if (process.platform === 'linux') {
      expect(pidOf(await run('grow', { mb: 250 }))).not.toBe(pidOf(await run('pid')));
    }
  });

  it('runs the next job even if its process was killed from outside', async () => {
    const run = open({ processes: 1 });
    const pid = pidOf(await run('pid'));
    process.kill(pid, 'SIGKILL');
    expect(await run('pid')).toMatchObject({ kind: 'done' });
  });

  it('is not blocked by a process that writes to its standard error', async () => {
    const run = open({ processes: 1 });
    expect(await run('noise', { seconds: 20 })).toMatchObject({ kind: 'done' });
  });

  it('ends idle processes, and all of them when it is closed', async () => {
    const run = open({ idleMs: 50 });
    await gone(pidOf(await run('pid')));
    const busy = run('spin').catch((error: Error) => error.message);
    const waiting = Array.from({ length: 10 }, () => run('spin').catch((error: Error) => error.message));
    await expect.poll(() => pool?.pids() ?? []).not.toEqual([]);
    const pids = pool?.pids() ?? [];
    await pool?.close();
    expect(new Set(await Promise.all([busy, ...waiting]))).toEqual(new Set(['the server is stopping']));
    for (const pid of pids) await gone(pid);
    await expect(run('pid')).rejects.toThrow('the server is stopping');
  });
});
