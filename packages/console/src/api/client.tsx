import { AuthenticationError, type CallOptions, type Figurehead, FigureheadError, type Session } from '@figurehead/sdk';
import {
  type QueryKey,
  type UseQueryOptions,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { tell } from '../lib/notices.js';
import { withoutPaths } from '../lib/problems.js';

/** Provides the SDK's client to all screens. */
export const ApiContext = createContext<Figurehead | null>(null);

/** The SDK's client, which uses this browser's session cookie. */
export function useApi(): Figurehead {
  const api = useContext(ApiContext);
  if (api === null) throw new Error('useApi was called outside of ApiContext');
  return api;
}

/** The signed-in user; `null` when signed out or after the session expired. */
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

/** The server marks the page when the browser sent no session, which saves a call that would be refused. */
function cameWithoutSession(): boolean {
  return document.querySelector('meta[name="figurehead-session"][content="none"]') !== null;
}

/** Reads something of the server, to be shared below `key`. `call` ends a request that is no longer wanted. */
export function useRead<T>(
  key: QueryKey,
  read: (api: Figurehead, call: CallOptions) => Promise<T>,
  options: Omit<UseQueryOptions<T>, 'queryKey' | 'queryFn'> = {},
): UseQueryResult<T> {
  const api = useApi();
  return useQuery<T>({ queryKey: key, queryFn: ({ signal }) => read(api, { signal }), ...options });
}

/** All items of a list, from all of its pages; see {@link useRead}. */
export function useAll<T>(
  key: QueryKey,
  list: (api: Figurehead, call: CallOptions) => AsyncIterable<T>,
  options: Omit<UseQueryOptions<T[]>, 'queryKey' | 'queryFn'> = {},
): UseQueryResult<T[]> {
  return useRead<T[]>(key, (api, call) => allOf(list(api, call)), options);
}

/** The items of a list of the SDK, from all of its pages. */
export async function allOf<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of list) found.push(item);
  return found;
}

/** Error message for users. */
export function describeError(error: unknown): string {
  if (error instanceof FigureheadError && error.status === 0)
    return 'The server did not answer. Check that it is running, then try again.';
  return withoutPaths(error instanceof Error ? error.message : String(error));
}

/** Options of {@link useAction}. */
export interface ActionOptions<R> {
  /** Message on success; none when absent. */
  readonly done?: string;
  /** Queries to reload after a change. */
  readonly changes?: readonly QueryKey[];
  readonly onDone?: (result: R) => void;
  /** Actions with the same name run one after the other. */
  readonly queue?: string;
  /** Whether the screen displays the failure itself. */
  readonly quiet?: boolean | ((error: Error) => boolean);
}

/** A mutation: shows its result and reloads the changed queries. */
export function useAction<I, R>(act: (input: I) => Promise<R>, options: ActionOptions<R> = {}) {
  const queries = useQueryClient();
  return useMutation<R, Error, I>({
    mutationFn: act,
    ...(options.queue !== undefined && { scope: { id: options.queue } }),
    onSuccess: async (result) => {
      if (options.done) tell({ message: options.done });
      options.onDone?.(result);
      await Promise.all(
        (options.changes ?? []).map((queryKey) => queries.invalidateQueries({ queryKey: [...queryKey] })),
      );
    },
    onError: (error) => {
      if (error instanceof AuthenticationError) queries.setQueryData(['session'], null);
      const isShown = typeof options.quiet === 'function' ? options.quiet(error) : options.quiet;
      if (!isShown) tell({ failed: 'The action failed', message: describeError(error) });
    },
  });
}
