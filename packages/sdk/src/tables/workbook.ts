import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { format, getFormatFromId, isDateFormat } from 'numfmt';
import readXlsxFile from 'read-excel-file/universal';

/** A worksheet as rows of text. */
export interface Worksheet {
  readonly name: string;
  readonly cells: readonly (readonly string[])[];
}

/**
 * Reads all worksheets of an .xlsx file, with numbers as their format shows them. A value whose cell spans several rows belongs to each of
 * them. Rows without any value are left out.
 * @throws when it cannot be read.
 */
export async function readWorkbook(bytes: Uint8Array): Promise<Worksheet[]> {
  // An encrypted workbook is in a compound file too.
  if (bytes[0] !== 0x50)
    throw new Error(
      'Excel files of the old format (.xls), and those with a password, cannot be read. Save it as .xlsx without a password.',
    );
  try {
    const { archive, merged } = stored(bytes);
    const sheets = await readXlsxFile(archive);
    return sheets.map(({ sheet, data }) => ({
      name: sheet,
      cells: filled(
        data.map((row) => row.map(textOf)),
        merged.get(sheet) ?? [],
      ).filter((row) => row.some((text) => text.trim() !== '')),
    }));
  } catch (error) {
    // Both libraries only see the file, and throw errors of many kinds for what is wrong with it.
    throw new Error('This is not a readable Excel workbook (.xlsx). Save the table as .xlsx or CSV.', { cause: error });
  }
}

/** The rows and columns of a merged cell, counted from 0. */
interface Span {
  readonly column: number;
  readonly top: number;
  readonly bottom: number;
}

/** Writes the values of cells that span rows into all of these; the first row has the names of columns. */
function filled(cells: string[][], spans: readonly Span[]): string[][] {
  const filledTo = new Map<number, number>();
  for (const { column, top, bottom } of [...spans].sort((a, b) => a.top - b.top)) {
    const value = cells[top]?.[column];
    // Merged cells do not overlap, except in files that are to take long.
    if (top <= (filledTo.get(column) ?? 0) || value === undefined) continue;
    filledTo.set(column, bottom);
    for (const row of cells.slice(top + 1, bottom + 1)) row[column] = value;
  }
  return cells;
}

/**
 * The same archive, only its XML and not compressed: the library decompresses large parts in a worker made of a blob,
 * which the console's content security policy forbids, and then it never answers. It leaves out formats of numbers and merged cells: numbers
 * are texts in this archive if they have a format, and the spans are returned by worksheet.
 */
function stored(bytes: Uint8Array): { archive: ArrayBuffer; merged: ReadonlyMap<string, readonly Span[]> } {
  const parts = unzipSync(bytes, { filter: ({ name }) => /\.(xml|rels)$/.test(name) });
  const xml = (name: string) => (parts[name] === undefined ? '' : strFromU8(parts[name]));
  const book = xml('xl/workbook.xml');
  // The library knows only one of the two ways to write a truth value.
  if (book !== '') parts['xl/workbook.xml'] = strToU8(book.replace('date1904="true"', 'date1904="1"'));
  const formats = formatsOf(xml('xl/styles.xml'));
  const targets = new Map(
    tags(xml('xl/_rels/workbook.xml.rels'), 'Relationship').map(({ Id, Target = '' }) => [Id, Target]),
  );
  const merged = new Map<string, Span[]>();
  for (const { name = '', 'r:id': id } of tags(book, 'sheet')) {
    const target = targets.get(id) ?? '';
    const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
    const sheet = xml(path);
    if (sheet === '') continue;
    parts[path] = strToU8(withFormats(sheet, formats));
    merged.set(
      unescaped(name),
      tags(sheet, 'mergeCell').flatMap(({ ref }) => spanOf(ref)),
    );
  }
  return { archive: zipSync(parts, { level: 0 }).slice().buffer, merged };
}

/** The attributes of all tags of a name, whatever their prefix. */
function tags(xml: string, name: string): Record<string, string | undefined>[] {
  return [...xml.matchAll(/<[^<>]+>/g)].flatMap(([tag]) => {
    const end = tag.search(/[\s/>]/);
    return tag.slice(1, end).split(':').at(-1) === name ? [attributesOf(tag.slice(end))] : [];
  });
}

function attributesOf(tag: string): Record<string, string | undefined> {
  return Object.fromEntries(
    [...tag.matchAll(/\s([\w:]{1,40})=(?:"([^"]*)"|'([^']*)')/g)].map(([, key = '', one, two]) => [key, one ?? two]),
  );
}

/** The format of numbers of each style of cells; `undefined` for plain numbers, texts and dates. */
function formatsOf(styles: string): (string | undefined)[] {
  const own = new Map(tags(styles, 'numFmt').map(({ numFmtId, formatCode = '' }) => [numFmtId, unescaped(formatCode)]));
  const [from, until] = [/<(?:\w{1,20}:)?cellXfs[\s>]/, /<\/(?:\w{1,20}:)?cellXfs>/].map((tag) => styles.search(tag));
  return tags(styles.slice(from, until), 'xf').map(({ numFmtId = '0' }) => {
    const code = own.get(numFmtId) || getFormatFromId(Number(numFmtId)) || 'General';
    return /^(?:General|@)$/i.test(code) || isDateFormat(code) ? undefined : code;
  });
}

/** Writes numbers that have a format as texts. */
function withFormats(sheet: string, formats: readonly (string | undefined)[]): string {
  const [, prefix = ''] = /<(\w{1,20}:)?worksheet[\s>]/.exec(sheet) ?? [];
  const [cell, value, end] = [`<${prefix}c `, `<${prefix}v>`, `</${prefix}v>`];
  const pieces = sheet.split(`</${prefix}c>`).map((piece) => {
    const [start, from] = [piece.lastIndexOf(cell), piece.lastIndexOf(value)];
    if (start < 0 || from < start || !piece.endsWith(end)) return piece;
    const { r = '', s = '0', t = 'n' } = attributesOf(piece.slice(start + cell.length - 1, piece.indexOf('>', start)));
    const [code, number] = [formats[Number(s)], Number(piece.slice(from + value.length, -end.length))];
    if (t !== 'n' || code === undefined || !Number.isFinite(number)) return piece;
    const shown = format(code, number, { throws: false }).trim();
    const text = shown.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return `${piece.slice(0, start)}${cell}r="${r}" t="inlineStr"><${prefix}is><${prefix}t>${text}</${prefix}t></${prefix}is>`;
  });
  return pieces.join(`</${prefix}c>`);
}

/** `B2:C4` as the spans of its first column; nothing for a cell in one row. */
function spanOf(ref = ''): Span[] {
  const [, letters = '', top = '', bottom = top] = /^([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})$/.exec(ref) ?? [];
  if (letters === '' || top === bottom) return [];
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return [{ column, top: Number(top) - 1, bottom: Number(bottom) - 1 }];
}

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(quot|amp|lt|gt|apos);/g, (_, name: string) => ENTITIES[name] ?? '');
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
