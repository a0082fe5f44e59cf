import { type RawBuilder, sql } from 'kysely';

/** Whether a column contains a text, in any case, and however its accents are written: as one character or as two (macOS writes names with two). */
export function contains(column: string, part: string): RawBuilder<boolean> {
  return sql<boolean>`position(lower(normalize(${part}::text)) in lower(normalize(${sql.ref(column)}))) > 0`;
}
