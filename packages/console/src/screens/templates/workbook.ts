import { unzipSync, zipSync } from 'fflate';
import readXlsxFile from 'read-excel-file/universal';

/** A worksheet as rows of text. */
export interface Worksheet {
  readonly name: string;
  readonly cells: readonly (readonly string[])[];
}

/** Reads all worksheets of an .xlsx file. Rows without any value are left out. @throws when it cannot be read. */
export async function readWorkbook(bytes: Uint8Array): Promise<Worksheet[]> {
  if (bytes[0] !== 0x50) throw new Error('Excel files of the old format (.xls) are not supported. Save it as .xlsx.');
  try {
    const sheets = await readXlsxFile(stored(bytes));
    return sheets.map(({ sheet, data }) => ({
      name: sheet,
      cells: data.map((row) => row.map(textOf)).filter((row) => row.some((text) => text.trim() !== '')),
    }));
  } catch (error) {
    // Both libraries only see the file, and throw errors of many kinds for what is wrong with it.
    throw new Error('This is not a readable Excel workbook (.xlsx). Save the table as .xlsx or CSV.', { cause: error });
  }
}

/**
 * The same archive, only its XML and not compressed: the library decompresses large parts in a worker made of a blob,
 * which the console's content security policy forbids, and then it never answers.
 */
function stored(bytes: Uint8Array): ArrayBuffer {
  const parts = unzipSync(bytes, { filter: ({ name }) => /\.(xml|rels)$/.test(name) });
  return zipSync(parts, { level: 0 }).slice().buffer;
}

/** As a person would type it: numbers without the dust of binary fractions, dates as in ISO 8601. */
function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return String(Number(cell.toPrecision(15)));
  if (cell instanceof Date)
    return cell
      .toISOString()
      .replace(/T00:00:00\.000Z$|(?::00)?\.000Z$/, '')
      .replace('T', ' ');
  return String(cell);
}
