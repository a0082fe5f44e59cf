import { AsyncLocalStorage } from 'node:async_hooks';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches work that costs little more for many items than for one: items that arrive while work of the same key runs
 * wait, and are then processed together. A single item starts immediately.
 *
 * A group runs in the asynchronous context in which this object was created, because it belongs to all of its callers: what
 * the work needs of a caller's context is part of the item.
 */
export class GroupedWork<Item, Result> {
  /** Waiting items by key; a key exists while its work runs. */
  readonly #waiting = new Map<string, Waiting<Item, Result>[]>();
  readonly #inOwnContext = AsyncLocalStorage.snapshot();

  /**
   * @param work receives 1 to `most` items of one key and returns their results in the same order. When it fails, it runs again
   * for each of several items alone, so that an item fails only for itself.
   * @param isOfAll true for an error that each item alone would meet as well: all are rejected with it.
   */
  constructor(
    private readonly work: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly most: number,
    private readonly isOfAll: (error: unknown) => boolean = () => false,
  ) {}

  run(key: string, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(key);
      if (waiting !== undefined) {
        waiting.push({ item, resolve, reject });
        return;
      }
      const first = [{ item, resolve, reject }];
      this.#waiting.set(key, first);
      void this.#serve(key, first);
    });
  }

  async #serve(key: string, waiting: Waiting<Item, Result>[]): Promise<void> {
    while (waiting.length > 0) {
      await this.#process(waiting.splice(0, this.most));
    }
    this.#waiting.delete(key);
  }

  async #process(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#inOwnContext(() => this.work(group.map(({ item }) => item)));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (group.length > 1 && !this.isOfAll(error)) {
        for (const one of group) await this.#process([one]);
        return;
      }
      for (const { reject } of group) reject(error);
    }
  }
}
