import type { Brand } from '@figurehead/contract';
import { type Kysely, sql } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';

type Tables = { brands: { workspaceId: string; brand: Brand } };

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** The brand of a workspace; `undefined` when none was saved. */
export async function findBrand(db: Database | Tx, workspaceId: string): Promise<Brand | undefined> {
  const row = await open(db)
    .selectFrom('brands')
    .select('brand')
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirst();
  return row?.brand;
}

/** Replaces the brand of a workspace. */
export async function saveBrand(db: Database | Tx, workspaceId: string, brand: Brand): Promise<void> {
  const json = sql<Brand>`${JSON.stringify(brand)}::jsonb`;
  await open(db)
    .insertInto('brands')
    .values({ workspaceId, brand: json })
    .onConflict((conflict) => conflict.column('workspaceId').doUpdateSet({ brand: json }))
    .execute();
}
