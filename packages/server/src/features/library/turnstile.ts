/** Runs work when it is its turn. */
export type Turnstile = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets `atOnce` pieces of work run at a time: a burst waits in order instead of filling the memory. */
export function createTurnstile(atOnce: number): Turnstile {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    // Who is woken takes over the place of who leaves, so the count stays.
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
