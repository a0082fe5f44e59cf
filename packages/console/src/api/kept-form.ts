import { type UseFormReturnType, useForm } from '@mantine/form';
import { useWindowEvent } from '@mantine/hooks';
import { hashKey } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { browserStorage, putEntry, readEntry } from '../lib/browser-entries.js';
import { useSession } from './client.js';

/** Delay after a change before the browser keeps it, ms. */
const KEEP_MS = 300;

/** What the browser keeps of a form: the changed values, and those that they replace. */
interface Kept<V> {
  readonly changed: Partial<V>;
  readonly of: Partial<V>;
}

/** A form whose unsaved values are kept. */
export interface KeptForm<V> extends UseFormReturnType<V> {
  /** Whether the user has changed something that the server does not have. */
  readonly isChanged: boolean;
  /** The changed values. */
  readonly changed: () => Partial<V>;
  /** When the values were left behind that were found in the browser; `undefined` when there were none, and once they are saved or discarded. */
  readonly restored: string | undefined;
  /** Values of the server that replaced what the user has changed: saving replaces them. */
  readonly theirs: Partial<V>;
  /** Grows whenever values come from elsewhere than the inputs, which may keep text of their own. */
  readonly revision: number;
  /** Takes the server's present values where the user has changed nothing. Returns the names of those that both have changed. */
  readonly rebase: (present: V) => readonly string[];
  /** The server has what was `sent`, as `saved`. What was typed since stays. */
  readonly settle: (sent: V, saved: V) => void;
  /** Takes the server's values instead of the user's: all, or those that were changed elsewhere. */
  readonly discard: (which?: 'theirs') => void;
}

/**
 * A form whose unsaved values survive leaving, closing and a crash: the browser keeps them for this user and workspace below `name`, and they
 * are there again the next time. When `initialValues` change, the form follows where the user has changed nothing.
 * @param name `undefined` keeps nothing, for secrets and what is quickly typed again.
 */
export function useKeptForm<V extends Record<string, unknown>>(
  initialValues: V,
  name: string | undefined,
): KeptForm<V> {
  const session = useSession().data;
  const storage = name === undefined ? undefined : browserStorage();
  const key = `figurehead:draft:${session?.workspace._id}:${session?.user._id}:form:${name}`;
  const [found] = useState(() => readEntry<Kept<V>>(storage, key, ({ changed, of }) => Boolean(changed && of)));
  const form = useForm<V>({ initialValues: { ...initialValues, ...found?.changed } });
  const [restored, setRestored] = useState(found?.savedAt);
  const [revision, setRevision] = useState(0);
  /** What the server has. A reference, because what is kept when the form is left must not depend on a render. */
  const base = useRef(initialValues);
  const [theirs, setTheirs] = useState<Partial<V>>(() =>
    found ? clashes(initialValues, { before: { ...initialValues, ...found.of }, mine: form.getValues() }) : {},
  );

  const changed = () => differing(form.getValues(), base.current);
  const keep = (): boolean => {
    if (name === undefined) return true;
    const unsaved = changed();
    if (Object.keys(unsaved).length > 0)
      return putEntry(storage, key, { changed: unsaved, of: pick(base.current, unsaved) });
    storage?.removeItem(key);
    return true;
  };
  const set = (values: Partial<V>) => {
    form.setValues(values);
    setRevision((now) => now + 1);
  };
  const rebase = (present: V): readonly string[] => {
    const before = base.current;
    if (isSame(before, present)) return [];
    const mine = form.getValues();
    const unsaved = changed();
    const clash = clashes(present, { before, mine });
    base.current = present;
    setTheirs((now) => pick(present, { ...pick(now, unsaved), ...clash }));
    set({ ...present, ...unsaved });
    return Object.keys(clash);
  };
  const isChanged = Object.keys(changed()).length > 0;

  useEffect(() => {
    const timer = setTimeout(keep, KEEP_MS);
    return () => clearTimeout(timer);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the form is left
  useEffect(() => () => void keep(), []);
  useWindowEvent('pagehide', () => void keep());
  useWindowEvent('beforeunload', (event) => {
    if (!keep()) event.preventDefault();
  });
  const presented = useRef(hashKey([initialValues]));
  useEffect(() => {
    const hash = hashKey([initialValues]);
    if (presented.current === hash) return;
    presented.current = hash;
    rebase(initialValues);
  });

  return {
    ...form,
    isChanged,
    changed,
    restored: isChanged ? restored : undefined,
    theirs: pick(theirs, changed()),
    revision,
    rebase,
    settle(sent, saved) {
      base.current = sent;
      rebase(saved);
      setTheirs({});
      setRestored(undefined);
      keep();
    },
    discard(which) {
      set(which === 'theirs' ? pick(base.current, theirs) : base.current);
      setTheirs({});
      setRestored(undefined);
    },
  };
}

function isSame(a: unknown, b: unknown): boolean {
  return hashKey([a]) === hashKey([b]);
}

/** The values that differ from those of another version. */
function differing<V extends object>(values: V, from: V): Partial<V> {
  return filtered(values, (key) => !isSame(values[key], from[key]));
}

/** The server's values that differ from the user's, where both have changed what was `before`. */
function clashes<V extends object>(present: V, { before, mine }: { readonly before: V; readonly mine: V }): Partial<V> {
  const [theirs, own] = [differing(present, before), differing(mine, before)];
  return filtered(theirs as V, (key) => key in own && !isSame(mine[key], present[key]));
}

/** The values with the names of others. */
function pick<V extends object>(values: V, others: object): V {
  return filtered(values, (key) => key in others) as V;
}

function filtered<V extends object>(values: V, isWanted: (key: keyof V) => boolean): Partial<V> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => isWanted(key as keyof V))) as Partial<V>;
}
