import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openFonts } from '@figurehead/media';
import type pptxgen from 'pptxgenjs';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { odp, pptx, relationship, type TestPage } from '../../../../../../tests/fixtures/presentations/decks.js';
import { openReader } from '../reading/reader.js';
import { type Conversion, convertPresentation } from './conversion.js';
import { findOffice, type Office, openOffice } from './office.js';

// The package's ES module works only with bundlers.
const Pptx = createRequire(import.meta.url)('pptxgenjs') as typeof pptxgen.default;

const isInstalled = (await findOffice()) !== undefined;
if (!isInstalled)
  console.warn(
    'SKIPPED: LibreOffice is not installed (apt-get install libreoffice-impress); its conversion is not tested.',
  );

/**
 * A deck by a common program with difficult content: chart, table, two right-to-left scripts, Han, hidden slide, notes.
 */
async function richDeck(): Promise<Buffer> {
  const deck = new Pptx();
  deck.layout = 'LAYOUT_WIDE';
  const title = deck.addSlide();
  title.background = { color: '0B2545' };
  title.addText('Quarterly Review', {
    x: 0.8,
    y: 2.2,
    w: 11.7,
    h: 1.4,
    fontSize: 48,
    bold: true,
    color: 'FFFFFF',
    align: 'center',
  });
  title.addNotes('Welcome.\nLet us begin.');
  const chart = deck.addSlide();
  chart.addChart(deck.ChartType.bar, [{ name: 'Sales', labels: ['Q1', 'Q2'], values: [12, 25] }], {
    x: 1,
    y: 1,
    w: 8,
    h: 5,
    chartColors: ['FF0000'],
  });
  chart.addNotes('Sales grew.');
  const hidden = deck.addSlide();
  hidden.hidden = true;
  hidden.addText('HIDDEN', { x: 1, y: 1, w: 5, h: 1 });
  hidden.addNotes('Never say this.');
  const table = deck.addSlide();
  table.addTable([[{ text: 'Item', options: { fill: { color: '00FF00' } } }], [{ text: 'Rent' }]], {
    x: 1,
    y: 1,
    w: 10,
  });
  const scripts = deck.addSlide();
  scripts.addText('مرحبا بكم — שלום — 季度回顾', {
    x: 1,
    y: 1,
    w: 11,
    h: 1,
    fontSize: 40,
    align: 'right',
    rtlMode: true,
  });
  scripts.addNotes('Four.');
  return Buffer.from((await deck.write({ outputType: 'nodebuffer' })) as Uint8Array);
}

describe.skipIf(!isInstalled)('LibreOffice', () => {
  let office: Office;
  let folder: string;
  let server: Server;
  const requests: string[] = [];

  beforeAll(async () => {
    office = (await openOffice()) as Office;
    folder = await mkdtemp(join(tmpdir(), 'fh-office-test-'));
    server = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.end();
    }).listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Faces are created once for all tests of this file. */
  const fonts = () => ({ own: [], cacheFolder: join(folder, 'faces'), open: () => openFonts() });

  async function convert(
    file: Buffer,
    kind: 'pptx' | 'odp' | 'ppt',
    { signal = new AbortController().signal, editable = false } = {},
  ): Promise<Conversion & { pictures: Buffer[] }> {
    const place = await mkdtemp(join(folder, 'job-'));
    const path = join(place, 'upload');
    await writeFile(path, file);
    await mkdir(join(place, 'work'));
    const pictures: Buffer[] = [];
    const conversion = await convertPresentation({
      ...{
        path,
        kind,
        editable,
        strict: true,
        hasAvatar: false,
        folder: join(place, 'work'),
        signal,
        office,
        fonts: fonts(),
      },
      onProgress: () => undefined,
      keep: async (name, { bytes }) => {
        pictures.push(bytes);
        return name;
      },
      keepFilm: async (name) => ({ src: name, seconds: 8 }),
    });
    expect((await readdir(join(place, 'work'))).filter((name) => !name.startsWith('deck.'))).toEqual([]);
    return { ...conversion, pictures };
  }

  /** Share of pixels close to this colour. */
  async function share(picture: Buffer | undefined, color: readonly [number, number, number]): Promise<number> {
    const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    let hits = 0;
    for (let at = 0; at < data.length; at += 3) {
      if (color.every((value, channel) => Math.abs((data[at + channel] ?? 0) - value) < 12)) hits += 1;
    }
    return hits / (info.width * info.height);
  }

  it('draws the pages of a rich deck as designed, without the hidden one, with the right notes', async () => {
    const { pages, pictures, data, warnings } = await convert(await richDeck(), 'pptx');
    expect(pages.map(({ notes }) => notes)).toEqual(['Welcome.\nLet us begin.', 'Sales grew.', '', 'Four.']);
    expect([data.format, warnings, pictures.length]).toEqual(['16_9', [], 4]);
    expect(await share(pictures[0], [0x0b, 0x25, 0x45])).toBeGreaterThan(0.9);
    expect(await share(pictures[1], [255, 0, 0])).toBeGreaterThan(0.03);
    expect(await share(pictures[2], [0, 255, 0])).toBeGreaterThan(0.01);
    expect(await share(pictures[3], [0, 0, 0])).toBeGreaterThan(0.001);
  });

  it('draws with its own fonts instead of the machine’s, with the metrics of the deck’s fonts', async () => {
    const place = await mkdtemp(join(folder, 'fonts-'));
    const path = join(place, 'deck.pptx');
    const deck = new Pptx();
    deck.layout = 'LAYOUT_WIDE';
    const slide = deck.addSlide();
    for (const [index, fontFace] of ['Calibri', 'Cambria', 'Arial', 'Times New Roman', 'No Such Font'].entries()) {
      slide.addText('Some words', { x: 1, y: index, w: 6, h: 1, fontFace });
    }
    slide.addText('مرحبا שלום 季度回顾 नमस्ते', { x: 1, y: 5, w: 11, h: 1 });
    await writeFile(path, Buffer.from((await deck.write({ outputType: 'nodebuffer' })) as Uint8Array));
    const reader = openReader(path);
    const text = await reader.textInventory();
    await reader.close();
    const { signal } = new AbortController();
    const pdf = await office.convert({
      ...{ path, kind: 'pptx', to: 'pdf', folder: place, signal, text },
      fonts: { own: [], cacheFolder: join(folder, 'faces') },
    });
    const names = (await readFile(pdf, 'latin1')).match(/(?<=\/FontName\/[A-Z]{6}\+)[A-Za-z0-9]+/g);
    const families = [
      ...['Arimo', 'Caladea', 'Carlito', 'NotoSansArabic', 'NotoSansDevanagari', 'NotoSansHebrew', 'NotoSansSC'],
      'Tinos',
    ];
    expect([...new Set(names)].sort()).toEqual(families);
  });

  it('leaves emoji to our fonts, as text in their place, in both formats', async () => {
    const deck = new Pptx();
    deck.layout = 'LAYOUT_WIDE';
    // A German flag, a red heart with emoji presentation, and a person at a computer, which is three characters.
    deck.addSlide().addText('Go 🇩🇪 ❤️ 👩‍💻 on', { x: 1, y: 1, w: 11, h: 4, fontSize: 72 });
    const { pages, warnings } = await convert(
      Buffer.from((await deck.write({ outputType: 'nodebuffer' })) as Uint8Array),
      'pptx',
    );
    expect(warnings).toEqual([]);
    expect(pages[0]?.canvas.objects).toMatchObject([
      { type: 'textbox', text: '🇩🇪 ❤️ 👩‍💻', fontSize: 48, left: expect.closeTo(119, 0), top: expect.closeTo(121, 0) },
    ]);
    const open = await convert(odp([{ title: 'Stop 🟥' }]), 'odp');
    expect(open.pages[0]?.canvas.objects).toMatchObject([{ text: '🟥' }]);
  });

  it('leaves the text out of the picture of an editable page, and everything else in it', async () => {
    const { pages, pictures, warnings } = await convert(await richDeck(), 'pptx', { editable: true });
    expect(warnings).toEqual([]);
    expect(pages.map(({ title }) => title)).toEqual(['Quarterly Review', '', '', '']);
    expect(pages[0]?.canvas.objects).toMatchObject([
      { text: 'Quarterly Review', fill: '#ffffff', fontWeight: 700, fontFamily: 'Carlito' },
    ]);
    expect(await share(pictures[0], [0x0b, 0x25, 0x45])).toBe(1);
    expect(await share(pictures[1], [255, 0, 0])).toBeGreaterThan(0.03);
    expect(pages[2]?.canvas.objects).toMatchObject([{ text: 'Item' }, { text: 'Rent' }]);
    const words = pages[3]?.canvas.objects?.filter(({ text }) => text !== '—').map(({ text }) => text);
    expect(words?.toSorted()).toEqual(['שלום', 'مرحبا بكم', '季度回顾']);
    expect(await share(pictures[3], [255, 255, 255])).toBe(1);
  });

  it('makes lines of a paragraph one text, with its looks', async () => {
    const deck = new Pptx();
    deck.layout = 'LAYOUT_WIDE';
    const looks = [
      { text: 'red', options: { color: 'FF0000', bold: true } },
      { text: ' under', options: { underline: { style: 'sng' as const } } },
      { text: ' struck', options: { strike: 'sngStrike' as const } },
      { text: ' high', options: { highlight: 'FFFF00' } },
      { text: ' up', options: { superscript: true } },
    ];
    const slide = deck.addSlide();
    slide.addText(looks, { x: 1, y: 1, w: 11, h: 1, fontSize: 24 });
    slide.addText('One line\nand another one', { x: 1, y: 3, w: 6, h: 2, align: 'center' });
    slide.addText('Turned', { x: 8, y: 4, w: 3, h: 1, rotate: 90 });
    const { pages } = await convert(
      Buffer.from((await deck.write({ outputType: 'nodebuffer' })) as Uint8Array),
      'pptx',
      { editable: true },
    );
    const [looked, lines, turned] = pages[0]?.canvas.objects ?? [];
    expect(looked).toMatchObject({ text: 'red under struck high up', fill: '#000000' });
    expect(looked?.styles).toEqual([
      { start: 0, end: 3, style: { fontWeight: 700, fill: '#ff0000' } },
      { start: 3, end: 9, style: { underline: true } },
      { start: 9, end: 16, style: { linethrough: true } },
      { start: 16, end: 21, style: { textBackgroundColor: '#ffff00' } },
      { start: 21, end: 24, style: { fontSize: expect.any(Number), deltaY: expect.any(Number) } },
    ]);
    expect(lines).toMatchObject({ text: 'One line\nand another one', textAlign: 'center' });
    expect(turned).toMatchObject({ text: 'Turned', angle: 90 });
  });

  it('reads an old .ppt with its notes', async () => {
    const place = await mkdtemp(join(folder, 'old-'));
    const path = join(place, 'new.pptx');
    await writeFile(path, pptx([{ title: 'Old times', notes: 'As we said.' }]));
    const { signal } = new AbortController();
    const fonts = { own: [], cacheFolder: join(folder, 'faces') };
    const old = await office.convert({ path, kind: 'pptx', to: 'ppt', folder: place, signal, fonts });
    const { pages, pictures } = await convert(await readFile(old), 'ppt');
    expect(pages).toMatchObject([{ title: 'Old times', notes: 'As we said.' }]);
    expect(pictures).toHaveLength(1);
  });

  it('draws an .odp without its hidden page', async () => {
    const deck: TestPage[] = [
      { title: 'One', notes: 'A & B' },
      { title: 'Two', notes: 'No', hidden: true },
      { title: 'Three', notes: 'C' },
    ];
    const { pages } = await convert(odp(deck), 'odp');
    expect(pages.map(({ notes }) => notes)).toEqual(['A & B', 'C']);
  });

  it('does not fetch linked files, neither from the network nor from the disk', async () => {
    const red = join(folder, 'red.png');
    await writeFile(
      red,
      await sharp({ create: { width: 50, height: 50, channels: 3, background: '#ff0000' } })
        .png()
        .toBuffer(),
    );
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/picture.png`;
    const picture = (id: string, x: number) =>
      `<p:pic><p:nvPicPr><p:cNvPr id="9" name="x"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:link="${id}"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr><a:xfrm><a:off x="${x}" y="1000000"/><a:ext cx="4000000" cy="4000000"/></a:xfrm><a:prstGeom prst="rect"/></p:spPr></p:pic>`;
    const relationships =
      relationship('rId7', 'image', address, true) + relationship('rId8', 'image', pathToFileURL(red).href, true);
    const { pictures, warnings } = await convert(
      pptx([{ title: 'Linked', shapes: picture('rId7', 0) + picture('rId8', 5_000_000), relationships }]),
      'pptx',
    );
    expect(requests).toEqual([]);
    expect(await share(pictures[0], [255, 0, 0])).toBe(0);
    expect(warnings).toEqual([expect.stringContaining('links to 2 files elsewhere')]);
  });

  it('reports a file that it cannot read although it looked complete', async () => {
    const place = await mkdtemp(join(folder, 'bad-'));
    const path = join(place, 'x.pptx');
    await writeFile(path, 'not a presentation at all');
    const job = {
      ...{ path, kind: 'pptx' as const, to: 'pdf' as const, folder: place, signal: new AbortController().signal },
      fonts: { own: [], cacheFolder: join(folder, 'faces') },
    };
    await expect(office.convert(job)).rejects.toMatchObject({
      name: 'PresentationProblem',
      message: expect.stringContaining('could not convert'),
    });
  });

  it('ends all its processes when the job is stopped', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped');
    const running = convert(await richDeck(), 'pptx', { signal: stop.signal });
    const ours = async () => {
      const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
      const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
      return lines.filter((line) => line.includes('soffice') && line.includes(folder));
    };
    await expect.poll(async () => (await ours()).length, { interval: 20 }).toBeGreaterThan(0);
    stop.abort(reason);
    await expect(running).rejects.toBe(reason);
    await expect.poll(ours).toEqual([]);
  });
});
