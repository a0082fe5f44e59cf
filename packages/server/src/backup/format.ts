/**
 * A backup is a tar file: `manifest.json` first, then one `tables/SCHEMA.NAME` per table in the text format of COPY, parents before the
 * tables that refer to them, then the media as `objects/KEY`, each after its content type as `objects/KEY~type`.
 */
export interface BackupManifest {
  readonly format: 1;
  readonly createdAt: string;
  /** Migrations of the database. */
  readonly migrations: readonly string[];
  readonly tables: readonly BackupTable[];
}

export interface BackupTable {
  readonly schema: string;
  readonly name: string;
  /** In the order of the copied text, without generated columns. */
  readonly columns: readonly string[];
}

/**
 * Folders of a workspace's caches, under `WORKSPACE/NAME/`: encoded segments, synthesised speech, voice samples. They
 * are not part of a backup because misses are recreated; neither is the table of segments.
 */
export const CACHES = { folders: ['segments', 'speech', 'previews'], tables: ['segments'] } as const;

/** Counts of a backup or restore. */
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
