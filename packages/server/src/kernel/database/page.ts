import type { SelectQueryBuilder } from 'kysely';

/** A page as a request names it: its number, from 1, and the most rows that it has. */
export interface PageQuery {
  readonly page: number;
  readonly limit: number;
}

/** The rows of a page, and how many there are on all pages. */
export interface Page<Row> {
  readonly rows: Row[];
  readonly total: number;
}

/**
 * Reads a page of an ordered query.
 * @param counted has as many rows as `query`, for one that joins what need not be counted.
 */
export async function readPage<DB, Tables extends keyof DB, Row, Counted>(
  query: SelectQueryBuilder<DB, Tables, Row>,
  { page, limit }: PageQuery,
  counted: SelectQueryBuilder<DB, Tables, Counted | Row> = query,
): Promise<Page<Row>> {
  const rows = await query
    .offset((page - 1) * limit)
    .limit(limit)
    .execute();
  const count = counted
    .clearSelect()
    .clearOrderBy()
    .select(({ fn }) => fn.countAll<string>().as('total'));
  const { total } = (await count.executeTakeFirstOrThrow()) as { total: string };
  return { rows: rows as Row[], total: Number(total) };
}

/** A page of what fits in memory. */
export function pageOf<Row>(all: readonly Row[], { page, limit }: PageQuery): Page<Row> {
  return { rows: all.slice((page - 1) * limit, page * limit), total: all.length };
}
