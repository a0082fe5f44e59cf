import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import readXlsxFile from 'read-excel-file/universal';

/** A worksheet as rows of text. */
export interface Worksheet {
  readonly name: string;
  readonly cells: readonly (readonly string[])[];
}

/** Reads all worksheets of an .xlsx file. Rows without any value are left out. @throws when it cannot be read. */
export async function readWorkbook(bytes: Uint8Array): Promise<Worksheet[]> {
  // An encrypted workbook is in a compound file too.
  if (bytes[0] !== 0x50)
    throw new Error(
      'Excel files of the old format (.xls), and those with a password, cannot be read. Save it as .xlsx without a password.',
    );
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
  // The library knows only one of the two ways to write a truth value.
  const book = parts['xl/workbook.xml'];
  if (book !== undefined)
    parts['xl/workbook.xml'] = strToU8(strFromU8(book).replace('date1904="true"', 'date1904="1"'));
  return zipSync(parts, { level: 0 }).slice().buffer;
}

/** As a person would type it: numbers without the dust of binary fractions, dates and times as in ISO 8601. */
function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return String(Number(cell.toPrecision(15)));
  if (cell instanceof Date) {
    // Half past two is 0.604166… of a day.
    const [day = '', time = ''] = new Date(Math.round(cell.getTime() / 1000) * 1000)
      .toISOString()
      .replace(/T00:00:00\.000Z$|(?::00)?\.000Z$/, '')
      .split('T');
    // A time of day is a part of the day before the first one.
    return /^18|^1904-01-01$/.test(day) && time !== '' ? time : `${day} ${time}`.trim();
  }
  return String(cell);
}
