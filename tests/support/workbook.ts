import { strToU8, zipSync } from 'fflate';

type Cell = string | number | Date;

/** An .xlsx file as Excel writes it: worksheets by name, each as rows of cells. */
export function workbook(worksheets: Readonly<Record<string, readonly (readonly Cell[])[]>>): Uint8Array {
  const xml = (body: string) => strToU8(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${body}`);
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`;
  const relations = (...each: string[]) =>
    xml(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${each.join('')}</Relationships>`,
    );
  const sheets = Object.entries(worksheets).map(([name, rows], index) => ({
    entry: `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
    relation: relation(`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`),
    file: `xl/worksheets/sheet${index + 1}.xml`,
    content: xml(`<worksheet ${main}><sheetData>${rows.map(rowOf).join('')}</sheetData></worksheet>`),
  }));
  return zipSync({
    '_rels/.rels': relations(relation('rId1', 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': xml(
      `<workbook ${main} xmlns:r="${office}"><sheets>${sheets.map(({ entry }) => entry).join('')}</sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': relations(
      ...sheets.map((sheet) => sheet.relation),
      relation('styles', 'styles', 'styles.xml'),
    ),
    // The second format, 14, is the one of dates.
    'xl/styles.xml': xml(
      `<styleSheet ${main}><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0" xfId="0"/><xf numFmtId="14" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    ),
    ...Object.fromEntries(sheets.map(({ file, content }) => [file, content])),
  });
}

/** The first 26 columns are enough for tests. */
function rowOf(cells: readonly Cell[], index: number): string {
  const row = index + 1;
  const xml = cells.map((cell, column) => {
    const at = `r="${String.fromCharCode(65 + column)}${row}"`;
    if (typeof cell === 'string') return `<c ${at} t="inlineStr"><is><t>${cell}</t></is></c>`;
    // Days are counted from 30 December 1899.
    if (cell instanceof Date) return `<c ${at} s="1"><v>${cell.getTime() / 86_400_000 + 25_569}</v></c>`;
    return `<c ${at}><v>${cell}</v></c>`;
  });
  return `<row r="${row}">${xml.join('')}</row>`;
}
