import { afterAll, describe, expect, it } from 'vitest';
import { textOf } from '../../../../../tests/support/growth.js';
import { ownShare } from '../../../../../tests/support/own-share.js';
import { createLifecycle } from '../../kernel/lifecycle.js';
import { inContext } from '../../kernel/observability/call-context.js';
import { createExtractiveWriter } from './extractive-writer.js';
import { createThreadedWriter } from './threaded-writer.js';

const brief = {
  title: 'Long',
  prompt: null,
  source: textOf('# H\ntext is here, and more. \n', 1_000_000),
  language: 'en',
};

describe('outlines of long sources', () => {
  const lifecycle = createLifecycle((name, error) => {
    throw new Error(`${name}: ${String(error)}`);
  });
  const writer = createThreadedWriter(lifecycle);
  afterAll(() => lifecycle.close());

  it('are the same as those of the writer, and the event loop keeps running', async () => {
    const threaded = writer.chapters(brief, 20);
    expect(await ownShare(() => threaded)).toBeLessThan(0.5);
    const chapters = await threaded;
    expect(chapters).toEqual(await createExtractiveWriter().chapters(brief, 20));
    expect(await writer.script(brief, chapters, 3)).not.toBe('');
  });

  it('take turns by workspace: one does not wait for all outlines of another', async () => {
    const ended: string[] = [];
    const write = (workspaceId: string) =>
      inContext({ workspaceId }, async () => {
        await writer.chapters({ ...brief, source: brief.source.slice(0, 200_000) }, 20);
        ended.push(workspaceId);
      });
    await Promise.all([...Array.from({ length: 6 }, () => write('busy')), write('other')]);
    expect(ended.indexOf('other')).toBeLessThan(4);
  });

  it('end when their client disconnects', async () => {
    const gone = new AbortController();
    const writing = writer.chapters(brief, 20, gone.signal);
    setImmediate(() => gone.abort(new Error('the client is gone')));
    await expect(writing).rejects.toThrow('the client is gone');
  });

  it('end at the deadline, and are refused when too many wait', async () => {
    const slow = createThreadedWriter(lifecycle, { most: 1, deadlineMs: 1, mostWaiting: 1 });
    const work = () => slow.chapters(brief, 20);
    const outcomes = await Promise.allSettled([work(), work(), work()]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'overloaded' } });
  });
});
