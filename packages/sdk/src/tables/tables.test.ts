import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { workbook } from '../../../../tests/support/workbook.js';
import { detectEncoding } from './encodings.js';
import { type Encoding, pastedSheet, readSheet, type Sheet, type SheetChoice } from './index.js';

const WESTERN = Buffer.from('Name;Stadt\r\nJürgen Müller;Köln\r\nAnne "Änne" Groß;Düsseldorf\r\n', 'latin1');

const BOOK = {
  Notes: [],
  Guests: [['Name', 'Price', 'Day'], [], ['Jürgen', 0.1 + 0.2, new Date('2026-03-05')]],
  Staff: [['Name'], ['Ada']],
};

function file(content: Uint8Array | string, name = 'people.csv'): File {
  return new File([typeof content === 'string' ? content : Uint8Array.from(content)], name);
}

function read(table: File, choice: Partial<SheetChoice> = {}): Promise<Sheet> {
  return readSheet(table, { language: 'en', ...choice });
}

describe('a table', () => {
  it('that Excel saved in the encoding of Windows is read as it was typed', async () => {
    expect(await read(file(WESTERN))).toEqual({
      name: 'people.csv',
      encoding: 'windows-1252',
      columns: ['Name', 'Stadt'],
      rows: [
        { Name: 'Jürgen Müller', Stadt: 'Köln' },
        { Name: 'Anne "Änne" Groß', Stadt: 'Düsseldorf' },
      ],
    });
  });

  it('is read in the encoding that a person chose', async () => {
    expect((await read(file(WESTERN), { encoding: 'windows-1251' })).rows[0]?.Stadt).toBe('Kцln');
  });

  it.each<[Encoding, number[]]>([
    ['utf-8', [0xef, 0xbb, 0xbf]],
    ['utf-16le', [0xff, 0xfe]],
    ['utf-16le', []],
    ['utf-16be', [0xfe, 0xff]],
    ['utf-16be', []],
  ])('of %s with the mark %j', async (encoding, mark) => {
    const text = 'Name\tCity\r\nŽofie\t東京\r\n';
    const body = encoding === 'utf-8' ? Buffer.from(text) : Buffer.from(text, 'utf16le');
    if (encoding === 'utf-16be') body.swap16();
    const sheet = await read(file(Buffer.concat([Buffer.from(mark), body])));
    expect(sheet).toMatchObject({ encoding, columns: ['Name', 'City'], rows: [{ Name: 'Žofie', City: '東京' }] });
  });

  it.each([';', ',', '\t', '|'])('with a first line that names %j as the separator', async (separator) => {
    const text = `sep=${separator}\r\nname${separator}city\r\nAnna${separator}Oslo\r\n`;
    const expected = { columns: ['name', 'city'], rows: [{ name: 'Anna', city: 'Oslo' }] };
    expect(await read(file(text))).toMatchObject(expected);
    expect(await read(file(`\uFEFF${text}`))).toMatchObject(expected);
  });

  it.each([
    ['in capitals', 'SEP=;\nname;city\nAnna;Oslo'],
    ['in quotes', '"sep=;"\nname;city\nAnna;Oslo'],
    ['with separators behind it', 'sep=;;\nname;city\nAnna;Oslo'],
    ['as a name', 'sep=\\t\nname\tcity\nAnna\tOslo'],
    ['of Macintosh', 'sep=;\rname;city\rAnna;Oslo\r'],
  ])('with the separator %s', async (_what, text) => {
    expect((await read(file(text))).rows).toEqual([{ name: 'Anna', city: 'Oslo' }]);
  });

  it.each([
    ['doubled quotes', 'name,line\nAnna,"say ""hi"", Anna"\nBen,"x, y"\n', 'say "hi", Anna'],
    ['backslashes', 'name,line\nAnna,"say \\"hi\\", Anna"\nBen,"x, y"\n', 'say "hi", Anna'],
    ['none, after a tab', 'name\tline\nAnna\t"Hi" she said\nBen\tx, y\n', '"Hi" she said'],
    ['one that is broken', 'name,line\nAnna,"a ""b"", c"\nBen,"x, y"\nCarl,"5" pipe"\n', 'a "b", c'],
  ])('with %s as quotes', async (_what, text, line) => {
    const { rows } = await read(file(text));
    expect(rows.slice(0, 2)).toEqual([
      { name: 'Anna', line },
      { name: 'Ben', line: 'x, y' },
    ]);
  });

  it.each(['<!DOCTYPE html><table><tr><td>a', '<?xml version="1.0"?><Workbook>', '%PDF-1.7\n1,2\n', '{\\rtf1 a,b\n'])(
    'is not %j, and what to do is said',
    async (text) => {
      await expect(read(file(text))).rejects.toThrow('save it as .xlsx or CSV');
    },
  );

  it('of one column keeps commas in its texts', async () => {
    expect((await read(file('name\nDoe, Jane\nRoe, Richard\n'))).rows).toEqual([
      { name: 'Doe, Jane' },
      { name: 'Roe, Richard' },
    ]);
  });

  it('with repeated, empty and missing columns keeps every named cell', async () => {
    const { columns, rows } = await read(file('name,,name\nAnna,x,Berg\nBen\n'));
    expect(columns).toEqual(['name', 'name 2']);
    expect(rows).toEqual([
      { name: 'Anna', 'name 2': 'Berg' },
      { name: 'Ben', 'name 2': '' },
    ]);
  });

  it('with a value beyond its columns names the row; empty cells there are nothing', async () => {
    await expect(read(file('name,line\nAnna,Hi\nBen,Hello, Ben\n'))).rejects.toThrow(
      'Row 2 has more values than the 2',
    );
    expect((await read(file('name,line\nAnna,Hi,,\n'))).rows).toEqual([{ name: 'Anna', line: 'Hi' }]);
  });

  it('pasted from a spreadsheet keeps commas, quotes and line breaks of cells', () => {
    expect(pastedSheet('name\tline\r\nAnna\t"Hello, Anna\nand ""all"""\r\n').rows).toEqual([
      { name: 'Anna', line: 'Hello, Anna\nand "all"' },
    ]);
  });

  it('without rows is refused', async () => {
    await expect(read(file('name,city\n'))).rejects.toThrow('no rows');
    expect(() => pastedSheet('')).toThrow('no rows');
  });
});

describe('a workbook', () => {
  it('is read by content: texts, numbers and dates of its first worksheet with rows', async () => {
    expect(await read(file(workbook(BOOK), 'people.csv'))).toEqual({
      name: 'people.csv',
      worksheets: ['Notes', 'Guests', 'Staff'],
      worksheet: 'Guests',
      columns: ['Name', 'Price', 'Day'],
      rows: [{ Name: 'Jürgen', Price: '0.3', Day: '2026-03-05' }],
    });
  });

  it('shows numbers as their format does, and the value of a cell in each row that it spans', async () => {
    const plain = workbook({
      'Q &amp; A': [
        ['name', 'zip', 'share', 'price', 'team'],
        ['Ada', 1234, 0.125, 1234.5, 'Red'],
        ['Bob', 501, 1, -5],
      ],
    });
    const parts = unzipSync(plain);
    const edit = (path: string, change: (xml: string) => string) => {
      parts[path] = strToU8(change(strFromU8(parts[path]!)));
    };
    const [zip, share, price] = ['00000', '0.0%', '#,##0.00 [$€-407]'];
    const codes = [zip, share, price].map((code, index) => `<numFmt numFmtId="${170 + index}" formatCode="${code}"/>`);
    const styles = codes.map((_, index) => `<xf numFmtId="${170 + index}" xfId="0" applyNumberFormat="1"/>`);
    edit('xl/styles.xml', (xml) =>
      xml
        .replace('<cellStyleXfs>', `<numFmts>${codes.join('')}</numFmts><cellStyleXfs>`)
        .replace('</cellXfs>', `${styles.join('')}</cellXfs>`),
    );
    edit('xl/worksheets/sheet1.xml', (xml) =>
      xml
        .replace(/ r="([BCD])([23])"/g, (at, column: string) => `${at} s="${'BCD'.indexOf(column) + 2}"`)
        .replace('</sheetData>', '</sheetData><mergeCells><mergeCell ref="E2:E3"/></mergeCells>'),
    );
    expect((await read(file(zipSync(parts)))).rows).toEqual([
      { name: 'Ada', zip: '01234', share: '12.5%', price: '1.234,50 €', team: 'Red' },
      { name: 'Bob', zip: '00501', share: '100.0%', price: '-5,00 €', team: 'Red' },
    ]);
  });

  it.each([
    ['times of day', new Date('1899-12-30T14:30:00Z'), '14:30'],
    ['moments, whose parts of a day have no end', new Date(Date.parse('2026-03-05T14:30:00Z') - 1), '2026-03-05 14:30'],
    ['days', new Date('2026-03-05'), '2026-03-05'],
  ])('is read as it is shown: %s', async (_what, at, shown) => {
    const book = workbook({
      A: [
        ['name', 'at'],
        ['Anna', at],
      ],
    });
    expect((await read(file(book))).rows).toEqual([{ name: 'Anna', at: shown }]);
  });

  it('is read at the worksheet that a person chose', async () => {
    expect((await read(file(workbook(BOOK)), { worksheet: 'Staff' })).rows).toEqual([{ Name: 'Ada' }]);
  });

  it('that is damaged, something else or of the old format is refused with what to do', async () => {
    for (const bytes of [workbook(BOOK).subarray(0, 200), zipSync({ mimetype: strToU8('x') }), strToU8('PK\x03\x04')])
      await expect(read(file(bytes))).rejects.toThrow('Save the table as .xlsx or CSV');
    await expect(read(file(Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0)))).rejects.toThrow('without a password');
  });
});

describe('the encoding of a short table', () => {
  // As base64, because Node cannot write these encodings. Its decoder of Windows-1252 has faults unless it is strict.
  it.each<[Encoding, language: string, text: string, bytes: string]>([
    ['windows-1252', 'de', 'Name;Stadt\nJürgen Müller;Köln\n', 'TmFtZTtTdGFkdApK/HJnZW4gTfxsbGVyO0v2bG4K'],
    [
      'windows-1252',
      'fr',
      "nom;ville\nFrançois Lefèvre;Besançon\nZoé, l'été;Évry\n",
      'bm9tO3ZpbGxlCkZyYW7nb2lzIExlZuh2cmU7QmVzYW7nb24KWm/pLCBsJ+l06TvJdnJ5Cg==',
    ],
    [
      'windows-1252',
      'en',
      'nombre;ciudad\nMuñoz;Málaga\nÍñigo;Cádiz\n',
      'bm9tYnJlO2NpdWRhZApNdfFvejtN4WxhZ2EKzfFpZ287Q+FkaXoK',
    ],
    ['windows-1252', 'ja', 'navn;by\nSøren;Århus\nKåre;Tønder\n', 'bmF2bjtieQpT+HJlbjvFcmh1cwpL5XJlO1T4bmRlcgo='],
    [
      'windows-1250',
      'en',
      'imię;miasto\nŁukasz Żółć;Łódź\nMałgorzata;Gdańsk\n',
      'aW1p6jttaWFzdG8Ko3VrYXN6IK/zs+Y7o/NknwpNYbNnb3J6YXRhO0dkYfFzawo=',
    ],
    [
      'windows-1250',
      'cs',
      'jméno;město\nJiří Dvořák;Plzeň\nŽofie;Břeclav\n',
      'am3pbm87bexzdG8KSmn47SBEdm/44Ws7UGx6ZfIKjm9maWU7QvhlY2xhdgo=',
    ],
    ['windows-1251', 'en', 'имя;город\nАнна Иванова;Москва\n', '6Oz/O+Pu8O7kCsDt7eAgyOLg7e7i4DvM7vHq4uAK'],
    ['koi8-r', 'en', 'имя;город\nАнна Иванова;Москва\n', 'yc3RO8fP0s/ECuHOzsEg6dfBzs/XwTvtz9PL18EK'],
    [
      'windows-1253',
      'en',
      'όνομα;πόλη\nΓιώργος;Αθήνα\nΕλένη;Θεσσαλονίκη\n',
      '/O3v7OE78Pzr5wrD6f7x4+/yO8Ho3u3hCsXr3e3nO8jl8/Ph6+/t3+rnCg==',
    ],
    [
      'windows-1254',
      'tr-TR',
      'isim;şehir\nİsmail Yıldız;Iğdır\nAyşe;İstanbul\n',
      'aXNpbTv+ZWhpcgrdc21haWwgWf1sZP16O0nwZP1yCkF5/mU73XN0YW5idWwK',
    ],
    [
      'windows-1255',
      'en',
      'שם;עיר\nדוד כהן;ירושלים\nשרה לוי;תל אביב\n',
      '+e078un4CuPl4yDr5O876fjl+ezp7Qr5+OQg7OXpO/rsIODh6eEK',
    ],
    ['windows-1256', 'en', 'الاسم;المدينة\nمحمد علي;القاهرة\n', 'x+HH0+M7x+Hjz+3kyQrjzePPINrh7TvH4d7H5dHJCg=='],
    [
      'windows-1257',
      'lt',
      'vardas;miestas\nŽydrūnas;Šiauliai\nEglė;Panevėžys\n',
      'dmFyZGFzO21pZXN0YXMK3nlkcvtuYXM70GlhdWxpYWkKRWds6ztQYW5lduv+eXMK',
    ],
    [
      'shift_jis',
      'en',
      '名前,都市\n田中太郎,東京\n鈴木花子,大阪\n',
      'lryRTyyTc45zCpNjkoaRvphZLJOMi54Kl+mW2InUjnEskeWN4wo=',
    ],
    ['euc-kr', 'en', '이름,도시\n김철수,서울\n이영희,부산\n', 'wMy4pyy1tb3DCrHow7a89iy8rb/vCsDMv7XI8Sy6zrvqCg=='],
    ['gb18030', 'en', '姓名,城市\n王小明,北京\n李娜,上海\n', '0NXD+yyzx8rQCs310KHD9yyxsb6pCsDuxMgsyc+6owo='],
    ['big5', 'en', '姓名,城市\n王小明,臺北\n李娜,高雄\n', 'qW2mVyyrsKWrCqT9pHCp+iy7T6VfCqf1rlIssKq2rwo='],
  ])('%s for a reader of %s', (encoding, language, text, bytes) => {
    const table = Buffer.from(bytes, 'base64');
    expect(detectEncoding(table, language)).toBe(encoding);
    expect(new TextDecoder(encoding, { fatal: true }).decode(table)).toBe(text);
  });
});
