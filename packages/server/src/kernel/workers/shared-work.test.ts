import { describe, expect, it } from 'vitest';
import { SharedWork } from './shared-work.js';

describe('shared work', () => {
  it('is done once for concurrent callers, and again afterwards', async () => {
    const shared = new SharedWork<number>();
    let done = 0;
    const work = async () => ++done;
    const results = await Promise.all(Array.from({ length: 100 }, () => shared.run('key', work)));
    expect(new Set(results)).toEqual(new Set([1]));
    expect(await shared.run('key', work)).toBe(2);
    expect(await Promise.all([shared.run('a', work), shared.run('b', work)])).toEqual([3, 4]);
  });

  it('continues until its last caller has left, and is not joined afterwards', async () => {
    const shared = new SharedWork<string>();
    const signals: AbortSignal[] = [];
    const work = (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<string>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    };
    const [first, second] = [new AbortController(), new AbortController()];
    const one = shared.run('key', work, first.signal);
    const two = shared.run('key', work, second.signal);
    first.abort(new Error('first left'));
    await expect(one).rejects.toThrow('first left');
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    second.abort(new Error('second left'));
    await expect(two).rejects.toThrow('second left');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await expect(shared.run('key', async () => 'new')).resolves.toBe('new');
  });

  it('fails for all callers, and is retried by the next one', async () => {
    const shared = new SharedWork<string>();
    const fail = () => Promise.reject(new Error('no'));
    const both = await Promise.allSettled([shared.run('key', fail), shared.run('key', fail)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await shared.run('key', async () => 'yes')).toBe('yes');
  });
});
