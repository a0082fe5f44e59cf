/**
 * A backup is a tar file: `manifest.json` first, then one `tables/SCHEMA.NAME` per table in the text format of COPY, parents before the
 * tables that refer to them, then the media as `objects/KEY`, each after its content type as `objects/KEY~type`.
 */
export interface Manifest {
  readonly format: 1;
  readonly createdAt: string;
  /** Migrations that the database had. */
  readonly migrations: readonly string[];
  readonly tables: readonly BackupTable[];
}

/** A table of a backup. */
export interface BackupTable {
  readonly schema: string;
  readonly name: string;
  /** In the order of the copied text; generated columns are not among them. */
  readonly columns: readonly string[];
}

/**
 * What a workspace keeps only to be quicker the next time, under `WORKSPACE/NAME/`: encoded segments, spoken audio, samples of voices. It is in no
 * backup: a miss is made anew. So is the table that says which segments there are.
 */
export const CACHES = { folders: ['segments', 'speech', 'previews'], tables: ['segments'] } as const;

/** What a backup or its restoration came to. */
export interface BackupSummary {
  readonly tables: number;
  readonly rows: number;
  readonly objects: number;
}

/** Name of a table's entry in the tar file. */
export function tableEntry(table: BackupTable): string {
  return `tables/${table.schema}.${table.name}`;
}

/** A table's name and its columns, quoted for SQL. */
export function quoted(table: BackupTable): { name: string; columns: string } {
  return {
    name: `${quote(table.schema)}.${quote(table.name)}`,
    columns: table.columns.map(quote).join(', '),
  };
}

function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
