import type { SelectQueryBuilder } from 'kysely';

/** A requested page: its number, from 1, and its maximum number of rows. */
export interface PageQuery {
  readonly page: number;
  readonly limit: number;
}

/** The rows of a page, and the total of all pages. */
export interface Page<Row> {
  readonly rows: Row[];
  readonly total: number;
}

/** Reads a page of an ordered query, outside of a transaction. */
export async function readPage<DB, Tables extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Tables, Row>,
  page: PageQuery,
): Promise<Page<Row>> {
  return readPageBy(query, (rows) => rows.execute(), page);
}

/**
 * As {@link readPage}, with a function that reads the rows of the page from the limited query. All rows are counted at the same time on another connection: with
 * a hundred thousand of them that takes as long as everything else.
 */
export async function readPageBy<DB, Tables extends keyof DB, Key, Row>(
  query: SelectQueryBuilder<DB, Tables, Key>,
  read: (rows: SelectQueryBuilder<DB, Tables, Key>) => Promise<Row[]>,
  { page, limit }: PageQuery,
): Promise<Page<Row>> {
  const [total, rows] = await Promise.all([
    countRows(query.clearSelect().clearOrderBy()),
    read(query.offset((page - 1) * limit).limit(limit)),
  ]);
  return { rows, total };
}

/** The number of rows of a query without columns. */
export async function countRows<DB, Tables extends keyof DB>(
  rows: SelectQueryBuilder<DB, Tables, object>,
): Promise<number> {
  const count = rows.select(({ fn }) => fn.countAll<string>().as('total'));
  const { total } = (await count.executeTakeFirstOrThrow()) as { total: string };
  return Number(total);
}

/** The answer with a page of a list in memory, whose rows get this name. */
export function pageOf<Name extends string, Row>(name: Name, all: readonly Row[], { page, limit }: PageQuery) {
  const rows = all.slice((page - 1) * limit, page * limit);
  return { [name]: rows, page, limit, total: all.length } as { [K in Name]: Row[] } & PageQuery & { total: number };
}
