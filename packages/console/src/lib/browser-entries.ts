/** This browser's storage; `undefined` where the user's settings forbid pages to store anything. */
export function browserStorage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

/** Stores an entry with the time, as `savedAt`. False when the browser has no space for it, or allows none. */
export function putEntry(storage: Storage | undefined, key: string, value: object): boolean {
  try {
    storage?.setItem(key, JSON.stringify({ ...value, savedAt: new Date().toISOString() }));
    return storage !== undefined;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

/** A stored entry; `undefined` without one, and for what an earlier version of the console, or another program, has stored. */
export function readEntry<T extends object>(
  storage: Storage | undefined,
  key: string,
  isOne: (entry: Record<string, unknown>) => boolean,
): (T & { readonly savedAt: string }) | undefined {
  try {
    const entry = JSON.parse(storage?.getItem(key) ?? 'null');
    return typeof entry?.savedAt === 'string' && isOne(entry) ? entry : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
