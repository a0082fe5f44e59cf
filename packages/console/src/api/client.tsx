import { AuthenticationError, type Figurehead, FigureheadError, type Session } from '@figurehead/sdk';
import { type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { tell } from '../lib/notices.js';
import { withoutPaths } from '../lib/problems.js';

/** Gives the SDK's client to all screens. */
export const ApiContext = createContext<Figurehead | null>(null);

/** The SDK's client, on the session cookie of this browser. */
export function useApi(): Figurehead {
  const api = useContext(ApiContext);
  if (api === null) throw new Error('useApi was called outside of ApiContext');
  return api;
}

/** Who is signed in; `null` when nobody is. Null too after a session ran out. */
export function useSession() {
  const api = useApi();
  const queries = useQueryClient();
  return useQuery<Session | null>({
    queryKey: ['session'],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      if (cameWithoutSession() && !queries.getQueryData(['session'])) return null;
      try {
        return await api.readSession({}, { signal });
      } catch (error) {
        if (error instanceof AuthenticationError) return null;
        throw error;
      }
    },
  });
}

/** The server says in the page that the browser brought no session at all, which saves a call that can only be refused. */
function cameWithoutSession(): boolean {
  return document.querySelector('meta[name="figurehead-session"][content="none"]') !== null;
}

/** A failure as a person should read it. */
export function describeError(error: unknown): string {
  if (error instanceof FigureheadError && error.status === 0)
    return 'The server did not answer. Check that it is running, then try again.';
  return withoutPaths(error instanceof Error ? error.message : String(error));
}

/** How an action ends. */
export interface ActionOptions<R> {
  /** Said when it worked; nothing is said without one. */
  readonly done?: string;
  /** What has changed and is read again. */
  readonly changes?: readonly QueryKey[];
  readonly onDone?: (result: R) => void;
  /** The screen shows the failure itself. */
  readonly quiet?: boolean;
}

/** A call that changes something: tells people how it ended and has what it changed read again. */
export function useAction<I, R>(act: (input: I) => Promise<R>, options: ActionOptions<R> = {}) {
  const queries = useQueryClient();
  return useMutation<R, Error, I>({
    mutationFn: act,
    onSuccess: async (result) => {
      if (options.done) tell({ message: options.done });
      options.onDone?.(result);
      await Promise.all(
        (options.changes ?? []).map((queryKey) => queries.invalidateQueries({ queryKey: [...queryKey] })),
      );
    },
    onError: (error) => {
      if (error instanceof AuthenticationError) queries.setQueryData(['session'], null);
      if (!options.quiet) tell({ failed: 'That did not work', message: describeError(error) });
    },
  });
}
