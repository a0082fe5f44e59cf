/** A task of the pool; `metadata` is its owner. */
interface OwnedTask {
  readonly options?: { readonly metadata?: object } | undefined;
}

/**
 * A task queue whose owners take turns: each gets one task done, then the next owner does. The first task of a new owner is taken before the
 * turns, because its listener waits for the first sound; new and earlier owners alternate, so that neither stops the other. Without an owner,
 * a task is its own.
 */
export class Turns<Task extends OwnedTask> {
  readonly #known = new WeakSet<object>();
  readonly #firsts = new Set<Task>();
  /** Waiting tasks by owner; the first owner is the next. */
  readonly #turns = new Map<object, Task[]>();
  #wasFirst = false;

  push(task: Task): void {
    const owner = ownerOf(task);
    const isKnown = this.#known.has(owner);
    this.#known.add(owner);
    if (!isKnown) this.#firsts.add(task);
    else this.#turns.set(owner, [...(this.#turns.get(owner) ?? []), task]);
  }

  pop(): Task | undefined {
    const [first] = this.#firsts;
    this.#wasFirst = first !== undefined && (this.#turns.size === 0 || !this.#wasFirst);
    if (first !== undefined && this.#wasFirst) {
      this.#firsts.delete(first);
      return first;
    }
    const [turn] = this.#turns;
    if (turn === undefined) return undefined;
    const [owner, [task, ...later]] = turn;
    this.#turns.delete(owner);
    if (later.length > 0) this.#turns.set(owner, later);
    return task;
  }

  size(): number {
    return this.#firsts.size + [...this.#turns.values()].reduce((sum, tasks) => sum + tasks.length, 0);
  }

  contains(task: Task): boolean {
    return this.#firsts.has(task) || (this.#turns.get(ownerOf(task))?.includes(task) ?? false);
  }

  clear(): void {
    this.#firsts.clear();
    this.#turns.clear();
  }
}

function ownerOf(task: OwnedTask): object {
  return task.options?.metadata ?? task;
}
