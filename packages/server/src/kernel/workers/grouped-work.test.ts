import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { GroupedWork } from './grouped-work.js';

describe('grouped work', () => {
  it('starts a single item at once, and groups items that arrive meanwhile, up to its limit and by key', async () => {
    const groups: string[][] = [];
    const work = new GroupedWork<string, string>(async (items) => {
      groups.push([...items]);
      return items.map((item) => item.toUpperCase());
    }, 3);
    const results = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1'].map((item) => work.run(item[0]!, item));
    expect(groups).toEqual([['a1'], ['b1']]);
    expect(await Promise.all(results)).toEqual(['A1', 'A2', 'A3', 'A4', 'A5', 'B1']);
    expect(groups).toEqual([['a1'], ['b1'], ['a2', 'a3', 'a4'], ['a5']]);
    expect(await work.run('a', 'a6')).toBe('A6');
  });

  it('that fails rejects only the items that fail alone as well', async () => {
    const groups: number[][] = [];
    const work = new GroupedWork<number, number>(async (items) => {
      groups.push([...items]);
      if (items.includes(2)) throw new Error('two');
      return items;
    }, 2);
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map((item) => work.run('k', item)));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    expect(groups).toEqual([[1], [2, 3], [2], [3], [4, 5]]);
  });

  it('that fails for a reason that all items share is not repeated', async () => {
    const groups: number[][] = [];
    const work = new GroupedWork<number, number>(
      async (items) => {
        groups.push([...items]);
        throw new RangeError('too many');
      },
      2,
      (error) => error instanceof RangeError,
    );
    const results = await Promise.allSettled([1, 2, 3].map((item) => work.run('k', item)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(groups).toEqual([[1], [2, 3]]);
  });

  it('runs without the asynchronous context of any caller', async () => {
    const caller = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const work = new GroupedWork<string, string>(async (items) => {
      await null;
      seen.push([...items, caller.getStore()]);
      return items;
    }, 3);
    const run = async (name: string) => caller.run(name, async () => [await work.run('k', name), caller.getStore()]);
    expect(await Promise.all(['a', 'b', 'c'].map(run))).toEqual([
      ['a', 'a'],
      ['b', 'b'],
      ['c', 'c'],
    ]);
    expect(seen).toEqual([
      ['a', undefined],
      ['b', 'c', undefined],
    ]);
  });
});
