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

/** Reads a page of an ordered query. */
export async function readPage<DB, Tables extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Tables, Row>,
  { page, limit }: PageQuery,
): Promise<Page<Row>> {
  const rows = await query
    .offset((page - 1) * limit)
    .limit(limit)
    .execute();
  const count = query
    .clearSelect()
    .clearOrderBy()
    .select(({ fn }) => fn.countAll<string>().as('total'));
  const { total } = (await count.executeTakeFirstOrThrow()) as { total: string };
  return { rows: rows as Row[], total: Number(total) };
}

/** A page of a list in memory. */
export function pageOf<Row>(all: readonly Row[], { page, limit }: PageQuery): Page<Row> {
  return { rows: all.slice((page - 1) * limit, page * limit), total: all.length };
}
