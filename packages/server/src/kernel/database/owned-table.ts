import { type Kysely, sql } from 'kysely';
import type { Database, Tx } from '../contract.js';
import { countRows, type Page, type PageQuery, readPage } from './page.js';

/** A row that belongs to a workspace. */
interface OwnedRow {
  readonly id: string;
  readonly workspaceId: string;
}

type NullableColumn<Row> = { [Column in keyof Row]: null extends Row[Column] ? Column : never }[keyof Row];
/** A row to insert; columns that may be null are null when absent. */
type NewRow<Row> = Omit<Row, NullableColumn<Row>> & Partial<Pick<Row, NullableColumn<Row>>>;

/** The statements that tables of rows of workspaces have in common; each store adds its own ones. */
export interface OwnedTable<Row extends OwnedRow> {
  insert(db: Database | Tx, row: NewRow<Row>): Promise<void>;
  /** The row with this id, in any workspace. */
  find(db: Database | Tx, id: string): Promise<Row | undefined>;
  /** As `find`, locked until the transaction ends. */
  lock(tx: Tx, id: string): Promise<Row | undefined>;
  /** `undefined` when the row no longer exists. */
  update(
    db: Database | Tx,
    id: string,
    changes: Partial<Omit<Row, 'id' | 'workspaceId' | 'createdAt'>>,
  ): Promise<Row | undefined>;
  delete(db: Database | Tx, id: string): Promise<void>;
  /** A page of a workspace's rows, newest first, and how many there are. */
  list(db: Database, workspaceId: string, page: PageQuery): Promise<Page<Row>>;
  /** All rows of a workspace, newest first. */
  all(db: Database, workspaceId: string): Promise<Row[]>;
  /** How many a workspace has. Locks the count until the transaction ends, so that two cannot both be the last. */
  count(tx: Tx, workspaceId: string): Promise<number>;
}

/** @param json columns of JSON; `pg` would send an array in one of them as a PostgreSQL array. */
export function ownedTable<Row extends OwnedRow>(
  name: string,
  json: readonly (keyof Row & string)[] = [],
): OwnedTable<Row> {
  type Tables = Record<string, OwnedRow>;
  const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();
  const encoded = <Values extends Partial<Row>>(values: Values): OwnedRow => {
    const columns = json.flatMap((column) => {
      const value = values[column];
      return value == null ? [] : [[column, sql`${JSON.stringify(value)}::jsonb`]];
    });
    return { ...values, ...Object.fromEntries(columns) };
  };
  const byId = (db: Database | Tx, id: string) => open(db).selectFrom(name).selectAll().where('id', '=', id);
  const ofWorkspace = (db: Database | Tx, workspaceId: string) =>
    open(db).selectFrom(name).selectAll().where('workspaceId', '=', workspaceId).orderBy('id', 'desc');
  return {
    insert: async (db, row) =>
      void (await open(db)
        .insertInto(name)
        .values(encoded(row as unknown as Row))
        .execute()),
    find: (db, id) => byId(db, id).executeTakeFirst() as Promise<Row | undefined>,
    lock: (tx, id) => byId(tx, id).forUpdate().executeTakeFirst() as Promise<Row | undefined>,
    update: (db, id, changes) =>
      open(db)
        .updateTable(name)
        .set(encoded(changes as Partial<Row>))
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst() as Promise<Row | undefined>,
    delete: async (db, id) => void (await open(db).deleteFrom(name).where('id', '=', id).execute()),
    list: (db, workspaceId, page) => readPage(ofWorkspace(db, workspaceId), page) as Promise<Page<Row>>,
    all: (db, workspaceId) => ofWorkspace(db, workspaceId).execute() as Promise<Row[]>,
    async count(tx, workspaceId) {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`${name} ${workspaceId}`}, 0))`.execute(tx);
      return countRows(open(tx).selectFrom(name).where('workspaceId', '=', workspaceId));
    },
  };
}
