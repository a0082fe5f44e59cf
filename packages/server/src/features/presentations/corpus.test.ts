import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  odp,
  odpParts,
  pdf,
  pptx,
  pptxParts,
  relationship,
} from '../../../../../tests/fixtures/presentations/decks.js';
import { zip } from '../../../../../tests/fixtures/presentations/zip.js';
import { inspectPresentation } from './reading/inspection.js';
import { openReader } from './reading/reader.js';

const pages = [
  { title: 'One', notes: 'First.' },
  { title: 'Two', notes: 'Second.' },
];
const many = (count: number) => Array.from({ length: count }, (_, index) => ({ title: `${index + 1}` }));
const withPart = (name: string, data: Buffer | string, more = {}) =>
  zip([...pptxParts(pages), { name, data, ...more }]);
/** A compound file with sectors of 512 bytes, and the entry of a stream in one of them. */
const cfb = (stream: string, sector = 1) => {
  const file = Buffer.alloc(4096 + sector * 512);
  file.write('d0cf11e0a1b11ae1', 'hex');
  file.writeUInt16LE(9, 30);
  file.writeUInt32LE(1, 48);
  file.write(stream, (sector + 1) * 512, 'utf16le');
  return file;
};
const DTD = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>';

/** Files that must be refused, with the expected message. */
const BAD: readonly (readonly [what: string, file: () => Buffer, says: RegExp])[] = [
  ['an empty file', () => Buffer.alloc(0), /is empty/],
  [
    'noise',
    () => Buffer.from('hello '.repeat(1000)),
    /is a \.pptx, \.ppt, \.odp or \.pdf file; this one is of another type/,
  ],
  ['an archive of another kind', () => zip([{ name: 'a.txt', data: 'x' }]), /another kind of archive/],
  [
    'a renamed Word document',
    () =>
      zip([
        { name: '[Content_Types].xml', data: '<a/>' },
        { name: 'word/document.xml', data: '<a/>' },
      ]),
    /a Word document/,
  ],
  [
    'a renamed Excel workbook',
    () =>
      zip([
        { name: '[Content_Types].xml', data: '<a/>' },
        { name: 'xl/workbook.xml', data: '<a/>' },
      ]),
    /an Excel workbook/,
  ],
  [
    'a text document of OpenDocument',
    () => zip([{ name: 'mimetype', data: 'application/vnd.oasis.opendocument.text', method: 0 }]),
    /opendocument\.text/,
  ],
  ['an old Word document', () => cfb('WordDocument'), /another file of Microsoft Office/],
  ['an encrypted .pptx', () => cfb('EncryptedPackage'), /protected by a password/],
  ['an encrypted entry', () => withPart('ppt/x.bin', 'x', { flags: 1 }), /protected by a password/],
  [
    'an encrypted .odp',
    () =>
      zip(
        odpParts(pages).map((part) =>
          part.name.endsWith('manifest.xml') ? { ...part, data: '<m><encryption-data/></m>' } : part,
        ),
      ),
    /protected by a password/,
  ],
  ['an encrypted PDF', () => pdf(['x'], { encrypted: true }), /protected by a password/],
  ['half a .pptx', () => pptx(pages).subarray(0, 2000), /damaged/],
  ['a .pptx with a broken part', () => corrupted(pptx(pages)), /damaged/],
  [
    'a .pptx without slides in it',
    () => zip(pptxParts(pages).filter(({ name }) => !name.includes('slides/slide1'))),
    /slide1\.xml is missing/,
  ],
  [
    'a .pptx that is not XML inside',
    () =>
      zip(
        pptxParts(pages).map((part) =>
          part.name === 'ppt/presentation.xml' ? { ...part, data: '<p:presentation' } : part,
        ),
      ),
    /damaged/,
  ],
  ['half a PDF', () => pdf(['x', 'y']).subarray(0, 120), /damaged/],
  ['a PDF that is only a header', () => Buffer.from('%PDF-1.7\n'), /damaged/],
  ['a bomb in one part', () => withPart('ppt/media/a.bin', Buffer.alloc(60_000_000)), /far more data than/],
  [
    'a bomb in many parts',
    () =>
      zip([
        ...pptxParts(pages),
        ...Array.from({ length: 40 }, (_, n) => ({ name: `ppt/m${n}.bin`, data: Buffer.alloc(1_000_000) })),
      ]),
    /far more data than/,
  ],
  [
    'a part that claims to be small',
    () => withPart('ppt/media/a.bin', Buffer.alloc(60_000_000), { claimedSize: 10 }),
    /damaged|far more data than/,
  ],
  ['markup without end', () => withPart('ppt/a.xml', Buffer.alloc(31_000_000, '<a></a>')), /far more data than/],
  [
    '11 000 parts',
    () => zip(Array.from({ length: 11_000 }, (_, n) => ({ name: `a${n}`, data: '', method: 0 }))),
    /more than 10000 parts/,
  ],
  ['a part with a path outside of the archive', () => withPart('../../etc/passwd', 'x'), /damaged/],
  ['a part with an absolute name', () => withPart('/etc/passwd', 'x'), /damaged/],
  ['a part with backslashes', () => withPart('..\\..\\x', 'x'), /damaged/],
  ['a symbolic link', () => withPart('ppt/link', '/etc/passwd', { mode: 0o120777 }), /is a link/],
  ['the same part twice', () => withPart('ppt/presentation.xml', '<a/>'), /twice/],
  ['an unknown compression', () => withPart('ppt/x.bin', 'x', { method: 14 }), /uses a compression/],
  ['a document type', () => withPart('ppt/x.xml', DTD), /document type/],
  ['a document type in UTF-16', () => withPart('ppt/x.xml', Buffer.from(`\uFEFF${DTD}`, 'utf16le')), /document type/],
  [
    'a document type in an .odp',
    () => zip([...odpParts(pages), { name: 'Object 1/content.xml', data: DTD }]),
    /document type/,
  ],
  [
    'an encoding that could hide one',
    () => withPart('ppt/x.xml', '<?xml version="1.0" encoding="UTF-7"?>+ADw-a+AD4-'),
    /unexpected encoding/,
  ],
  ['no pages', () => pptx([]), /no pages/],
  ['only hidden pages', () => pptx([{ hidden: true }, { hidden: true }]), /All 2 slides .* hidden/],
  ['500 slides', () => pptx(many(500)), /has 500 pages; a video has at most 100/],
  ['101 pages of an .odp', () => odp(many(101)), /has 101 pages/],
  ['500 pages of a PDF', () => pdf(many(500).map(({ title }) => title)), /has 500 pages/],
];

/** One byte of packed data changed. */
function corrupted(file: Buffer): Buffer {
  const copy = Buffer.from(file);
  const at = copy.indexOf('ppt/presentation.xml') + 40;
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}

describe('files uploaded as presentations', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-corpus-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function write(bytes: Buffer, name = 'file'): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, bytes);
    return path;
  }

  // Proves: D.videos.36
  it.each(BAD)('%s is refused with a sentence', async (_what, file, says) => {
    const path = await write(file());
    const refusal = await inspectPresentation(path).then(
      () => undefined,
      (error: Error) => error,
    );
    expect(refusal).toMatchObject({ name: 'PresentationProblem', message: expect.stringMatching(says) });
    expect(refusal?.message).toMatch(/^[A-Z].*\.$/s);
  });

  it('are recognised by their content, regardless of the file name, with their page count', async () => {
    const hidden = [...pages, { title: 'x', hidden: true }];
    expect(await inspectPresentation(await write(pptx(hidden), 'a.pdf'))).toMatchObject({
      kind: 'pptx',
      pages: 2,
      hidden: 1,
    });
    expect(await inspectPresentation(await write(odp(hidden), 'a.pptx'))).toMatchObject({
      kind: 'odp',
      pages: 2,
      hidden: 1,
    });
    expect(await inspectPresentation(await write(pdf(['a', 'b', 'c']), 'a.odp'))).toMatchObject({
      kind: 'pdf',
      pages: 3,
    });
    expect(await inspectPresentation(await write(pptx(many(100))))).toMatchObject({ pages: 100 });
    // Only LibreOffice reads an old one, whose directory is scattered over the file.
    for (const sector of [1, 9, 700]) {
      const old = await write(cfb('PowerPoint Document', sector), 'a.pptx');
      expect(await inspectPresentation(old)).toMatchObject({ kind: 'ppt', pages: null });
    }
  });

  it.each([
    ['a line break', Buffer.from('\r\n')],
    ['a page of the server', Buffer.from('<!-- served in 3 ms --></html>')],
    ['a block of zeros', Buffer.alloc(60_000)],
  ])('may be followed by %s', async (_what, rest) => {
    for (const file of [pptx(pages), odp(pages), pdf(['a', 'b'])]) {
      const path = await write(Buffer.concat([file, rest]));
      expect(await inspectPresentation(path)).toMatchObject({ pages: 2 });
    }
  });

  it('may link to external files: these are listed, hyperlinks are not', async () => {
    const linked = [
      relationship('rId5', 'image', 'http://127.0.0.1:9/a.png', true),
      relationship('rId6', 'hyperlink', 'https://example.org', true),
    ];
    const { deck } = await inspectPresentation(await write(pptx([{ title: 'x', relationships: linked.join('') }])));
    expect(deck?.linked).toEqual(['http://127.0.0.1:9/a.png']);
  });

  it('may have up to 200 MB of pictures', async () => {
    const path = await write(withPart('ppt/media/film.mp4', Buffer.alloc(200_000_000, 'film'), { method: 0 }));
    expect(await inspectPresentation(path)).toMatchObject({ kind: 'pptx', pages: 2 });
    const file = await open(path, 'r+');
    await file.truncate(150_000_000);
    await file.close();
    await expect(inspectPresentation(path)).rejects.toThrow(/damaged/);
  });

  it('have the words of their notes: of text boxes too, with formulas, without escaped control characters', async () => {
    const run = (text: string) => `<a:r><a:t>${text}</a:t></a:r>`;
    const box = (...paragraphs: string[]) =>
      `<p:sp><p:nvSpPr><p:cNvPr id="9" name="Box"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>${paragraphs.map((one) => `<a:p>${one}</a:p>`).join('')}</p:txBody></p:sp>`;
    const either = (choice: string, fallback: string) =>
      `<mc:AlternateContent xmlns:mc="urn:mc"><mc:Choice Requires="a14">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;
    const formula = `<a14:m xmlns:a14="urn:a14"><m:oMath xmlns:m="urn:m"><m:r><m:t>a+</m:t></m:r><m:r><m:t>b</m:t></m:r></m:oMath></a14:m>`;
    const cases: readonly (readonly [besideNotes: string, spoken: string])[] = [
      [box(run('In a box.')), 'In a box.'],
      [`<p:grpSp>${box(run('In a group.'))}</p:grpSp>`, 'In a group.'],
      [box(run('Before') + run('_x000B_') + run('after _x0007_ and _x005F_x000B_')), 'Before\nafter  and _x000B_'],
      [box(either(formula, run('the sum')) + run(' is known.')), 'the sum is known.'],
      [box(either(formula, run(' ')) + run(' is known.')), 'a+b is known.'],
      [either(box(run('Sum: ') + formula), box(run(' '))), 'Sum: a+b'],
    ];
    const deck = cases.map(([besideNotes]) => ({ title: 'x', notes: 'Notes.', besideNotes }));
    const reader = openReader(await write(pptx(deck)));
    const { deck: read } = await reader.inspect();
    expect(read?.pages.map(({ notes }) => notes)).toEqual(cases.map(([, spoken]) => `Notes.\n${spoken}`));
    await reader.close();
    const besideNotes = '<draw:frame><draw:text-box><text:p>In a box.</text:p></draw:text-box></draw:frame>';
    const other = openReader(await write(odp([{ title: 'x', notes: 'Notes.', besideNotes }])));
    expect((await other.inspect()).deck?.pages.map(({ notes }) => notes)).toEqual(['Notes.\nIn a box.']);
    await other.close();
  });

  it('are parsed in a thread that can be terminated', async () => {
    const path = await write(pdf(['a', 'b']));
    const stop = new AbortController();
    const reader = openReader(path, stop.signal);
    expect(await reader.inspect()).toMatchObject({ pages: 2 });
    const drawn = await reader.draw(1, { room: { width: 320, height: 180 }, editable: false, blankFont: 'x' });
    expect([drawn.width, drawn.height, drawn.rgba.length]).toEqual([320, 180, 320 * 180 * 4]);
    const reason = new Error('enough');
    const late = reader.draw(0, { room: { width: 1920, height: 1080 }, editable: false, blankFont: 'x' });
    stop.abort(reason);
    await expect(late).rejects.toBe(reason);
    await expect(reader.inspect()).rejects.toBe(reason);
    await reader.close();
    const other = openReader(await write(pptx([])));
    await expect(other.inspect()).rejects.toMatchObject({ name: 'PresentationProblem' });
    await other.close();
  });
});
