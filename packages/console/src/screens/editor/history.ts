import { useCallback, useReducer } from 'react';

interface History<T> {
  readonly past: readonly T[];
  readonly now: T;
  readonly future: readonly T[];
  /** Changes of one kind in a row (typing in one field) are one step. */
  readonly kind: string | null;
}

type Step<T> =
  | { readonly do: 'change'; readonly to: (now: T) => T; readonly kind: string | null }
  | { readonly do: 'undo' | 'redo' };

const MOST_STEPS = 200;

/** A value that remembers how it came to be. */
export function useHistory<T>(initial: T) {
  const [state, dispatch] = useReducer(reduce<T>, { past: [], now: initial, future: [], kind: null });
  /** `kind` joins this change with one of the same kind right before it. */
  const change = useCallback(
    (to: (now: T) => T, kind: string | null = null) => dispatch({ do: 'change', to, kind }),
    [],
  );
  const undo = useCallback(() => dispatch({ do: 'undo' }), []);
  const redo = useCallback(() => dispatch({ do: 'redo' }), []);
  return { now: state.now, change, undo, redo, canUndo: state.past.length > 0, canRedo: state.future.length > 0 };
}

function reduce<T>(state: History<T>, step: Step<T>): History<T> {
  const { past, now, future } = state;
  if (step.do === 'change') {
    const next = step.to(now);
    if (next === now) return state;
    const joined = step.kind !== null && step.kind === state.kind;
    return { past: joined ? past : [...past, now].slice(-MOST_STEPS), now: next, future: [], kind: step.kind };
  }
  if (step.do === 'undo') {
    const before = past.at(-1);
    return before === undefined
      ? state
      : { past: past.slice(0, -1), now: before, future: [now, ...future], kind: null };
  }
  const [after, ...later] = future;
  return after === undefined ? state : { past: [...past, now], now: after, future: later, kind: null };
}
