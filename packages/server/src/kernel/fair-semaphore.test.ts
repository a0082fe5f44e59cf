import { describe, expect, it } from 'vitest';
import { FairSemaphore } from './fair-semaphore.js';

describe('a fair semaphore', () => {
  const limits = { atOnce: 2, perWorkspace: 1, waitingPerWorkspace: 3, waitMs: 60_000 };
  const busy = { status: 429, details: { retryAfterSeconds: expect.any(Number) } };

  /** Work that ends on the test's command. */
  function held(semaphore: FairSemaphore, workspaceId: string, signal?: AbortSignal) {
    let end: (() => void) | undefined;
    let hasBegun = false;
    const done = semaphore.run(
      workspaceId,
      () =>
        new Promise<void>((resolve) => {
          hasBegun = true;
          end = resolve;
        }),
      signal,
    );
    return { done, begun: () => hasBegun, end: () => end?.() };
  }

  it('leaves a slot for another workspace, regardless of the load of the first', async () => {
    const semaphore = new FairSemaphore(limits);
    const many = Array.from({ length: 4 }, () => held(semaphore, 'a'));
    const other = held(semaphore, 'b');
    expect(many.map(({ begun }) => begun())).toEqual([true, false, false, false]);
    expect(other.begun()).toBe(true);
    other.end();
    await other.done;
    for (const one of many) {
      await expect.poll(one.begun).toBe(true);
      one.end();
      await one.done;
    }
  });

  it('serves workspaces in turn, and in order within each', async () => {
    const semaphore = new FairSemaphore({ ...limits, atOnce: 1 });
    const order: string[] = [];
    const add = (workspaceId: string, name: string) => semaphore.run(workspaceId, async () => void order.push(name));
    const first = held(semaphore, 'x');
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => add(name[0]!, name));
    first.end();
    await Promise.all([first.done, ...all]);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('starts a few in each turn of the event loop, workspaces in turn, and nothing while it is held', async () => {
    let isHeld = true;
    const pace = { startsPerTurn: 4, isHeld: () => isHeld };
    const semaphore = new FairSemaphore({ ...limits, atOnce: 90, perWorkspace: 80, waitingPerWorkspace: 80, pace });
    const burst = Array.from({ length: 80 }, () => held(semaphore, 'a'));
    const other = held(semaphore, 'b');
    const begun = () => burst.filter((one) => one.begun()).length;
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    await turn();
    expect([begun(), other.begun()]).toEqual([0, false]);
    isHeld = false;
    for (let before = begun(); before < 80; before = begun()) {
      await turn();
      expect(begun() - before).toBeLessThanOrEqual(4);
      expect(other.begun()).toBe(begun() > 0);
    }
    for (const one of [...burst, other]) one.end();
    await Promise.all([...burst, other].map(({ done }) => done));
  });

  it('refuses with 429 when the queue of a workspace is full or the wait is too long', async () => {
    const semaphore = new FairSemaphore({ ...limits, waitMs: 20 });
    const running = held(semaphore, 'a');
    const waiting = Array.from({ length: 3 }, () => held(semaphore, 'a').done);
    await expect(held(semaphore, 'a').done).rejects.toMatchObject(busy);
    for (const one of waiting) await expect(one).rejects.toMatchObject(busy);
    running.end();
    await running.done;
    await semaphore.run('a', async () => undefined);
  });

  it('frees the slot of a cancelled call, and of failed work', async () => {
    const semaphore = new FairSemaphore({ ...limits, waitingPerWorkspace: 50 });
    const running = held(semaphore, 'a');
    const abort = new AbortController();
    const left = Array.from({ length: 50 }, () => held(semaphore, 'a', abort.signal).done.catch((error) => error));
    abort.abort(new Error('gone'));
    expect(await Promise.all(left)).toEqual(Array.from({ length: 50 }, () => new Error('gone')));
    const failing = Array.from({ length: 20 }, () =>
      semaphore.run('a', () => Promise.reject(new Error('failed'))).catch((error) => error.message),
    );
    running.end();
    expect(await Promise.all(failing)).toEqual(Array.from({ length: 20 }, () => 'failed'));
    await expect(semaphore.run('a', async () => 'free')).resolves.toBe('free');
  });
});
