import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toneWav } from '../../../../../tests/support/files.js';
import { runDisposable } from './disposable.js';

describe('a disposable process', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-disposable-'));
    await writeFile(join(folder, 'tone.wav'), toneWav(60));
    await writeFile(join(folder, 'text'), 'text');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const limits = { seconds: 30, memoryMb: 2000 };
  const transcode = () => ({
    kind: 'transcode',
    type: 'audio',
    file: join(folder, 'tone.wav'),
    out: join(folder, 'out'),
  });

  it('gives its result, or why it refuses the file', async () => {
    const media = { kind: 'media', file: join(folder, 'tone.wav'), folder };
    expect(await runDisposable(media, limits)).toMatchObject({ kind: 'done', value: { type: 'audio' } });
    const font = { kind: 'font', file: join(folder, 'text'), out: join(folder, 'out') };
    expect(await runDisposable(font, limits)).toEqual({ kind: 'refused', message: expect.stringContaining('no font') });
  });

  it('is ended when it takes too long, too much memory, or when nobody wants its answer any more', async () => {
    expect(await runDisposable(transcode(), { ...limits, seconds: 0.05 })).toEqual({ kind: 'died', reason: 'time' });
    if (process.platform === 'linux') {
      expect(await runDisposable(transcode(), { ...limits, memoryMb: 1 })).toEqual({ kind: 'died', reason: 'memory' });
    }
    const reason = new Error('gone');
    await expect(runDisposable(transcode(), { ...limits, signal: AbortSignal.timeout(20) })).rejects.toThrow();
    await expect(runDisposable(transcode(), { ...limits, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('may crash', async () => {
    const missing = { kind: 'font', file: join(folder, 'missing'), out: join(folder, 'out') };
    expect(await runDisposable(missing, limits)).toEqual({ kind: 'died', reason: 'crash' });
  });
});
