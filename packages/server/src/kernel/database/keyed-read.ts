import { AsyncLocalStorage } from 'node:async_hooks';
import DataLoader from 'dataloader';
import type pg from 'pg';
import type { KeyedRead } from '../contract.js';
import { repeatRead } from './away.js';
import { GuardedPool } from './pool.js';

/** Maximum keys of one statement. */
const MAX_KEYS = 100;

/** Creates the {@link KeyedRead} of a pool. */
export function createKeyedRead(pool: pg.Pool): KeyedRead {
  const outside = AsyncLocalStorage.snapshot();
  const loaders = new Map<string, DataLoader<string, { key: string } | undefined>>();
  return async <Row extends { readonly key: string }>(
    { name, text }: { readonly name: string; readonly text: string },
    key: string,
  ) => {
    if (pool instanceof GuardedPool) pool.refuseNested();
    let loader = loaders.get(name);
    if (loader === undefined) {
      const read = async (keys: readonly string[]) => {
        const values = [[...new Set(keys)]];
        const { rows } = await repeatRead(() => pool.query<Row>({ name, text, values }));
        const byKey = new Map(rows.map((row) => [row.key, row]));
        return keys.map((wanted) => byKey.get(wanted));
      };
      loader = new DataLoader(read, {
        cache: false,
        maxBatchSize: MAX_KEYS,
        // Several calls share the statement, so it does not run in the transaction or count for the workspace of the first.
        batchScheduleFn: (look) => outside(() => void setImmediate(look)),
      });
      loaders.set(name, loader);
    }
    return (await loader.load(key)) as Row | undefined;
  };
}
