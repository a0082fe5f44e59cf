import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type pptxgen from 'pptxgenjs';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { odp, pptx, relationship, type TestPage } from '../../../../../tests/fixtures/presentations/decks.js';
import { type Conversion, convertPresentation } from './conversion.js';
import { findOffice, type Office, openOffice } from './office.js';

// Its module for `import` is one that only bundlers can load.
const Pptx = createRequire(import.meta.url)('pptxgenjs') as typeof pptxgen.default;

const isInstalled = (await findOffice()) !== undefined;
if (!isInstalled)
  console.warn(
    'SKIPPED: LibreOffice is not installed (apt-get install libreoffice-impress); its conversion is not tested.',
  );

/** A deck by a program that people use, with what is hard: chart, table, two right-to-left scripts, Han, hidden slide, notes. */
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

  async function convert(
    file: Buffer,
    kind: 'pptx' | 'odp',
    signal = new AbortController().signal,
  ): Promise<Conversion & { pictures: Buffer[] }> {
    const place = await mkdtemp(join(folder, 'job-'));
    const path = join(place, 'upload');
    await writeFile(path, file);
    await mkdir(join(place, 'work'));
    const pictures: Buffer[] = [];
    const conversion = await convertPresentation({
      ...{ path, kind, editable: false, strict: true, folder: join(place, 'work'), signal, office },
      onProgress: () => undefined,
      keep: async (name, { bytes }) => {
        pictures.push(bytes);
        return name;
      },
    });
    expect(await readdir(join(place, 'work'))).toEqual(['deck.pdf']);
    return { ...conversion, pictures };
  }

  /** Share of pixels that are nearly of this colour. */
  async function share(picture: Buffer | undefined, color: readonly [number, number, number]): Promise<number> {
    const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    let hits = 0;
    for (let at = 0; at < data.length; at += 3) {
      if (color.every((value, channel) => Math.abs((data[at + channel] ?? 0) - value) < 12)) hits += 1;
    }
    return hits / (info.width * info.height);
  }

  it('draws the pages of a rich deck as designed, without the hidden one, beside the right notes', async () => {
    const { pages, pictures, data, warnings } = await convert(await richDeck(), 'pptx');
    expect(pages.map(({ notes }) => notes)).toEqual(['Welcome.\nLet us begin.', 'Sales grew.', '', 'Four.']);
    expect([data.format, warnings, pictures.length]).toEqual(['16_9', [], 4]);
    expect(await share(pictures[0], [0x0b, 0x25, 0x45])).toBeGreaterThan(0.9);
    expect(await share(pictures[1], [255, 0, 0])).toBeGreaterThan(0.03);
    expect(await share(pictures[2], [0, 255, 0])).toBeGreaterThan(0.01);
    expect(await share(pictures[3], [0, 0, 0])).toBeGreaterThan(0.001);
  });

  it('draws an .odp with its hidden page left out', async () => {
    const deck: TestPage[] = [
      { title: 'One', notes: 'A & B' },
      { title: 'Two', notes: 'No', hidden: true },
      { title: 'Three', notes: 'C' },
    ];
    const { pages } = await convert(odp(deck), 'odp');
    expect(pages.map(({ notes }) => notes)).toEqual(['A & B', 'C']);
  });

  it('fetches nothing that the file links to, neither from the network nor from the disk', async () => {
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

  it('says so when it cannot read a file that looked whole', async () => {
    const place = await mkdtemp(join(folder, 'bad-'));
    const path = join(place, 'x.pptx');
    await writeFile(path, 'not a presentation at all');
    const job = { path, kind: 'pptx' as const, folder: place, signal: new AbortController().signal };
    await expect(office.toPdf(job)).rejects.toMatchObject({
      name: 'PresentationProblem',
      message: expect.stringContaining('could not convert'),
    });
  });

  it('stops with all its processes when the job is stopped', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped');
    const running = convert(await richDeck(), 'pptx', stop.signal);
    const ours = async () => {
      const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
      const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
      return lines.filter((line) => line.includes('soffice') && line.includes(folder));
    };
    await expect.poll(async () => (await ours()).length, { timeout: 15_000, interval: 20 }).toBeGreaterThan(0);
    stop.abort(reason);
    await expect(running).rejects.toBe(reason);
    await expect.poll(ours, { timeout: 5000 }).toEqual([]);
  });
});
