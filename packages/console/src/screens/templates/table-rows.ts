/** A problem of one row before the request. */
export interface RowProblem {
  readonly row: number;
  readonly message: string;
}

/** Problems of rows: missing values. Rows count from 1. */
export function checkRows(rows: readonly Readonly<Record<string, string>>[], names: readonly string[]): RowProblem[] {
  return rows.flatMap((row, index) => {
    const missing = names.filter((name) => !row[name]?.trim());
    return missing.length === 0 ? [] : [{ row: index + 1, message: `nothing for ${missing.join(', ')}` }];
  });
}

/** The column that most likely belongs to a placeholder: the same letters, ignoring case and punctuation. */
export function guessColumn(name: string, columns: readonly string[]): string | null {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return columns.find((column) => plain(column) === plain(name)) ?? null;
}

/** The column that most likely contains the recipient's name; undefined when none fits. */
export function guessNameColumn(columns: readonly string[]): string | undefined {
  return (
    columns.find((column) => /^(full )?name$/i.test(column.trim())) ?? columns.find((column) => /name/i.test(column))
  );
}
