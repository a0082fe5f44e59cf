import Papa from 'papaparse';

/** A table of values: the first line of a CSV names its columns. */
export interface Sheet {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

/** Reads a CSV file. @throws for one without rows. */
export async function readSheet(file: File): Promise<Sheet> {
  const parsed = Papa.parse<Record<string, string>>(await file.text(), { header: true, skipEmptyLines: 'greedy' });
  const columns = (parsed.meta.fields ?? []).filter((name) => name.trim() !== '');
  if (columns.length === 0 || parsed.data.length === 0) throw new Error('This file has no rows below its first line.');
  return { name: file.name, columns, rows: parsed.data };
}

/** A problem of one row before anything is sent. */
export interface RowProblem {
  readonly row: number;
  readonly message: string;
}

/** What is wrong with rows: values that are missing. Rows count from 1, as people count. */
export function checkRows(rows: readonly Readonly<Record<string, string>>[], names: readonly string[]): RowProblem[] {
  return rows.flatMap((row, index) => {
    const missing = names.filter((name) => !row[name]?.trim());
    return missing.length === 0 ? [] : [{ row: index + 1, message: `nothing for ${missing.join(', ')}` }];
  });
}

/** The column that most likely belongs to a placeholder: same letters, whatever case and punctuation. */
export function guessColumn(name: string, columns: readonly string[]): string | null {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return columns.find((column) => plain(column) === plain(name)) ?? null;
}

/** The column that most likely tells whom a row is for; undefined when no name of a column says so. */
export function guessNameColumn(columns: readonly string[]): string | undefined {
  return (
    columns.find((column) => /^(full )?name$/i.test(column.trim())) ?? columns.find((column) => /name/i.test(column))
  );
}
