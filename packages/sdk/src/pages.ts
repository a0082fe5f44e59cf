import type { Paged } from './call-kinds.js';
import type { AnyInput, CallOptions } from './transport.js';

/** An item of a page: the member of its only array. */
export type ItemOf<P> = P extends unknown
  ? { [K in keyof P]: P[K] extends readonly (infer Item)[] ? Item : never }[keyof P]
  : never;

/**
 * One page of a list as a promise, or all items of all pages as an async iterable:
 *
 * ```ts
 * const { videos, total } = await figurehead.listVideos({ query: { limit: 50 } });
 * for await (const video of figurehead.listVideos({ query: { status: 'ready' } })) console.log(video.name);
 * ```
 *
 * Iteration starts at the requested page and fetches the next one when needed. New items move others to later pages: an item that appears on two
 * consecutive pages is returned once; after a deletion, an item may be missed.
 */
export interface Listing<P> extends Promise<P>, AsyncIterable<ItemOf<P>> {}

type ListCall = (input?: AnyInput, options?: CallOptions) => Promise<unknown>;

/** Makes the result of a paged route iterable. */
export function listingOf(
  call: ListCall,
): (input?: AnyInput, options?: CallOptions) => Promise<unknown> & AsyncIterable<unknown> {
  return (input = {}, options = {}) => {
    const first = call(input, options);
    return Object.assign(first, {
      async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
        let page = (await first) as Paged;
        let before = new Set<unknown>();
        for (;;) {
          const items = itemsOf(page);
          const keys = items.map(keyOf);
          yield* items.filter((_item, index) => !before.has(keys[index]));
          if (items.length === 0 || page.page * page.limit >= page.total) return;
          before = new Set(keys);
          page = (await call({ ...input, query: { ...input.query, page: page.page + 1 } }, options)) as Paged;
        }
      },
    });
  };
}

/** The compiler knows that a paged answer has one array. */
function itemsOf(page: Paged): readonly unknown[] {
  return Object.values(page).find((value): value is unknown[] => Array.isArray(value)) ?? [];
}

/** Its id; an item without one is identified by its content. */
function keyOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && '_id' in item ? item._id : JSON.stringify(item);
}
