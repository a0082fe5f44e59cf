import Papa from 'papaparse';
import { detectEncoding, type Encoding } from './encodings.js';

export { ENCODINGS, type Encoding, isEncoding } from './encodings.js';

/** A table of values: its first row contains the column names. */
export interface Sheet {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
  /** What a text file was decoded with. */
  readonly encoding?: Encoding;
  /** Names of a workbook's worksheets, and the one that was read. */
  readonly worksheets?: readonly string[];
  readonly worksheet?: string;
}

/** How a file is read. */
export interface SheetChoice {
  /** Language of the person, BCP 47: helps to detect the encoding. */
  readonly language: string;
  /** Detected when absent. */
  readonly encoding?: Encoding;
  /** The first worksheet with rows when absent. */
  readonly worksheet?: string;
}

/** First bytes of a ZIP archive (.xlsx), and of a compound file (.xls). */
const WORKBOOKS = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

/** Reads a CSV file or an Excel workbook; its first bytes decide. @throws an `Error` with one sentence for anything but a table. */
export async function readSheet(file: File, choice: SheetChoice): Promise<Sheet> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (WORKBOOKS.some((start) => start.every((byte, at) => bytes[at] === byte))) {
    // Most tables are CSV files, which do not need this part.
    const { readWorkbook } = await import('./workbook.js');
    const worksheets = await readWorkbook(bytes);
    const chosen = worksheets.find(({ name }) => name === choice.worksheet);
    const { name, cells } = chosen ?? worksheets.find((each) => each.cells.length > 1) ?? { name: '', cells: [] };
    return { name: file.name, worksheets: worksheets.map((each) => each.name), worksheet: name, ...tableOf(cells) };
  }
  const encoding = choice.encoding ?? detectEncoding(bytes, choice.language);
  return { name: file.name, encoding, ...tableOf(cellsOf(new TextDecoder(encoding).decode(bytes))) };
}

/** Reads cells that were copied in a spreadsheet, or the text of a CSV. @throws when there are no rows. */
export function pastedSheet(text: string): Sheet {
  return { name: 'Pasted cells', ...tableOf(cellsOf(text)) };
}

/** A first line that names the separator, as Excel writes and reads it; other programs quote it, or add the separators of the other columns. */
const SEPARATOR_LINE = /^"?sep=(\\t|.)"?[;,\t|]{0,1000}(?:\r\n|\r|\n)/i;

/** What other kinds of file begin with. */
const NO_TABLE = /^\s{0,100}(?:<(?:!doctype|html|head|meta|table|\?xml)|%PDF-|\{\\rtf)/i;

/** Cells of a CSV. @throws for a web page or a document. */
function cellsOf(text: string): string[][] {
  if (NO_TABLE.test(text))
    throw new Error(
      'This is a web page or a document, not a table. Open it in a spreadsheet and save it as .xlsx or CSV.',
    );
  const [line = '', separator] = SEPARATOR_LINE.exec(text) ?? [];
  const csv = text.slice(line.length);
  if (separator !== undefined) return parsed(csv, separator === '\\t' ? '\t' : separator);
  const cells = parsed(csv);
  // A single column has no separator: commas belong to its texts.
  return cells[0]?.length === 1 ? parsed(csv, Papa.UNIT_SEP) : cells;
}

/** How programs quote cells: with doubled quotes, with backslashes before them (databases), and not at all (cells that were copied). */
const QUOTINGS: readonly Papa.ParseConfig[] = [{}, { escapeChar: '\\' }, { quoteChar: '\0' }];

/** The cells by the way of quoting that leaves the fewest faults. */
function parsed(csv: string, delimiter = ''): string[][] {
  let best: { readonly cells: string[][]; readonly faults: number } | undefined;
  for (const quoting of QUOTINGS) {
    const { data: cells, errors } = Papa.parse<string[]>(csv, { ...quoting, delimiter, skipEmptyLines: 'greedy' });
    const isUnquoted = quoting.quoteChar !== undefined;
    const faults =
      errors.filter(({ type }) => type === 'Quotes').length +
      cells.filter(({ length }) => length !== cells[0]?.length).length +
      (isUnquoted ? cells.flat().filter((cell) => /^".*"$/s.test(cell)).length : 0);
    if (best === undefined || faults < best.faults) best = { cells, faults };
    // Rows of different lengths alone say nothing of quotes.
    if (!errors.some(({ type }) => type === 'Quotes')) break;
  }
  return best?.cells ?? [];
}

/**
 * Columns and rows of cells. Columns without a name are left out; a repeated name gets a number; missing cells are empty.
 * @throws when there are no rows, and when a row has more values than there are columns, because an unquoted separator has moved them.
 */
function tableOf([names = [], ...rows]: readonly (readonly string[])[]): Pick<Sheet, 'columns' | 'rows'> {
  const columns: string[] = [];
  const places: number[] = [];
  for (const [place, cell] of names.entries()) {
    const name = cell.trim();
    if (name === '') continue;
    let unique = name;
    for (let number = 2; columns.includes(unique); number += 1) unique = `${name} ${number}`;
    columns.push(unique);
    places.push(place);
  }
  if (columns.length === 0 || rows.length === 0)
    throw new Error('This table has no rows after its first line, which names the columns.');
  const long = rows.findIndex((row) => row.slice(names.length).some((cell) => cell.trim() !== ''));
  if (long >= 0) {
    throw new Error(
      `Row ${long + 1} has more values than the ${names.length} columns that the first line names. Put quotes around texts that contain the separator.`,
    );
  }
  return {
    columns,
    rows: rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[places[index] ?? -1] ?? '']))),
  };
}
