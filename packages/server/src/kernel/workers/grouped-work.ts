interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches work that costs little more for many items than for one: items that arrive while work of the same key runs
 * wait, and are then processed together. A single item starts immediately.
 */
export class GroupedWork<Item, Result> {
  /** Waiting items by key; a key exists while its work runs. */
  readonly #waiting = new Map<string, Waiting<Item, Result>[]>();

  /**
   * @param work receives 1 to `most` items of one key and returns their results in the same order; its error rejects
   * all of them.
   */
  constructor(
    private readonly work: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly most: number,
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
      const group = waiting.splice(0, this.most);
      try {
        const results = await this.work(group.map(({ item }) => item));
        for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#waiting.delete(key);
  }
}
