import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Slide } from '@figurehead/contract';
import { BLANK_EMOJI, type Fonts } from '@figurehead/media';
import { cutFromPage, type EncodedPicture, encodePage, encodePicture } from '../pdf/page-picture.js';
import { canvasObjects, type PictureLinks } from '../reading/canvas-objects.js';
import type { Deck, DeckElement, DeckPage, PageBox, PictureRef } from '../reading/deck.js';
import { findEmoji, paintEmoji } from '../reading/emoji-painting.js';
import { type PageFrame, pageFrameOf, RESOLUTION } from '../reading/frame.js';
import type { PresentationKind } from '../reading/inspection.js';
import { requirePageCount, SILENT_PAGE_SECONDS } from '../reading/limits.js';
import { PresentationProblem } from '../reading/problem.js';
import { type DrawnPage, openReader, type Reader } from '../reading/reader.js';
import type { OwnFont } from './fonts.js';
import { HOW_TO_INSTALL_OFFICE, type Office } from './office.js';

/** Inputs of {@link convertPresentation}. */
export interface ConversionJob {
  readonly path: string;
  readonly kind: PresentationKind;
  /** Text boxes and pictures as separate objects instead of one picture per page. */
  readonly editable: boolean;
  /** Pages must look as designed: without LibreOffice the conversion fails. */
  readonly strict: boolean;
  /** Empty; the caller removes it afterwards. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** `undefined` when LibreOffice is not installed. */
  readonly office: Office | undefined;
  /** Fonts that LibreOffice uses; the machine's fonts are ignored. */
  readonly fonts: ConversionFonts;
  /** Stores a picture and returns the URL for slides. */
  keep(name: string, picture: EncodedPicture): Promise<string>;
  onProgress(progress: { progress: number; stage: string }): void;
}

/** Fonts of a conversion. */
export interface ConversionFonts {
  /** The workspace's. */
  readonly own: readonly OwnFont[];
  /** Caches faces between conversions. */
  readonly cacheFolder: string;
  /** Opens the fonts for drawing into LibreOffice's pages. */
  open(): Promise<Fonts>;
}

/** One page as a slide without a presenter. */
export interface ConvertedPage {
  readonly canvas: NonNullable<Slide['canvas']>;
  readonly notes: string;
}

/** A converted presentation. */
export interface Conversion {
  readonly pages: readonly ConvertedPage[];
  readonly data: { readonly format: PageFrame['format']; readonly resolution: string };
  /** Differences from the presentation, for its owner. */
  readonly warnings: readonly string[];
}

/** Shares of the total time, measured on decks of 10 to 60 pages: LibreOffice takes as long as drawing. */
const SHARE = { reading: 0.05, converting: 0.45, drawing: 0.5 } as const;

/** Version of Fabric.js whose JSON the canvas follows. */
const CANVAS_VERSION = '5.3.0';

/** Converts a presentation to slides. Throws {@link PresentationProblem} for problems of the file. */
export async function convertPresentation(job: ConversionJob): Promise<Conversion> {
  const { path, kind, signal, office, onProgress } = job;
  onProgress({ progress: 0, stage: 'reading' });
  const reader = openReader(path, signal);
  try {
    // Inspected again, because the file was in the object store since the upload.
    const { linked } = await reader.inspect();
    const warnings = linked.length === 0 ? [] : [linkedWarning(linked)];
    if (kind === 'pdf') {
      const pages = { count: await reader.pages(), size: reader.size, draw: reader.draw };
      const conversion = await drawPdf(job, pages, { notes: [], from: SHARE.reading });
      return job.editable
        ? { ...conversion, warnings: ['The pages of a PDF are pictures; their text cannot be edited.'] }
        : conversion;
    }
    const deck = await reader.deck(kind);
    const shown = deck.pages.filter(({ hidden }) => !hidden);
    requirePageCount(shown.length, deck.pages.length - shown.length);
    if (office === undefined) {
      if (job.strict)
        throw new PresentationProblem(`LibreOffice is not installed on this server. ${HOW_TO_INSTALL_OFFICE}`);
      warnings.push(
        `The pages were drawn without LibreOffice and show only titles, text, tables and pictures. ${HOW_TO_INSTALL_OFFICE}`,
      );
    }
    if (job.editable || office === undefined) return await drawObjects(job, reader, { deck, shown, warnings });
    onProgress({ progress: SHARE.reading, stage: 'converting' });
    const notes = shown.map((page) => page.notes);
    const from = SHARE.reading + SHARE.converting;
    const conversion = await withOfficePages(job, { reader, office, kind, path, count: shown.length }, (pages) =>
      drawPdf(job, pages, { notes, from }),
    );
    return { ...conversion, warnings };
  } finally {
    await reader.close();
  }
}

/** Pages of a PDF to draw. */
interface Pages {
  readonly count: number;
  size(index: number): Promise<{ width: number; height: number }>;
  draw(index: number, room: { width: number; height: number }): Promise<DrawnPage>;
}

/** LibreOffice's pages of the deck at `path`, with emoji. */
async function withOfficePages<T>(
  { folder, signal, fonts }: ConversionJob,
  deck: { reader: Reader; office: Office; kind: 'pptx' | 'odp'; path: string; count: number },
  use: (pages: Pages) => Promise<T>,
): Promise<T> {
  const textInventory = await deck.reader.textInventory();
  const { own, cacheFolder } = fonts;
  const { path, kind } = deck;
  const pdf = await deck.office.toPdf({ path, kind, folder, signal, fonts: { textInventory, own, cacheFolder } });
  const reader = openReader(pdf, signal);
  try {
    const count = await reader.pages();
    // Notes under the wrong pages would be worse than none.
    if (count !== deck.count) {
      throw new PresentationProblem(`LibreOffice drew ${count} of the presentation's ${deck.count} pages.`);
    }
    const painter = textInventory.emoji.length === 0 ? undefined : await fonts.open();
    return await use({
      count,
      size: (index) => reader.size(index),
      async draw(index, room) {
        const page = await reader.draw(index, room);
        if (painter === undefined) return page;
        const emoji = findEmoji(await reader.letters(index, BLANK_EMOJI), textInventory.emoji);
        const { height } = await reader.size(index);
        return paintEmoji(page, { emoji, heightPt: height, fonts: painter });
      },
    });
  } finally {
    await reader.close();
  }
}

async function drawPdf(
  job: ConversionJob,
  source: Pages,
  { notes, from }: { notes: readonly string[]; from: number },
): Promise<Conversion> {
  const { count } = source;
  requirePageCount(count);
  const first = await source.size(0);
  const frame = pageFrameOf(first);
  const pages: ConvertedPage[] = [];
  for (let index = 0; index < count; index++) {
    job.signal.throwIfAborted();
    job.onProgress({ progress: from + ((1 - from) * index) / count, stage: 'drawing' });
    const picture = await encodePage(await source.draw(index, frame.pixels), frame.pixels);
    const background = await job.keep(`page-${numbered(index)}.${picture.extension}`, picture);
    pages.push({ canvas: { objects: [], background, version: CANVAS_VERSION }, notes: notes[index] ?? '' });
  }
  return { pages, data: { format: frame.format, resolution: RESOLUTION }, warnings: [] };
}

/** Data of the deck for {@link drawObjects}. */
interface Shown {
  readonly deck: Deck;
  readonly shown: readonly DeckPage[];
  readonly warnings: readonly string[];
}

async function drawObjects(job: ConversionJob, reader: Reader, { deck, shown, warnings }: Shown): Promise<Conversion> {
  const frame = pageFrameOf(deck);
  const links = await keepPictures(job, reader, shown);
  const linkOf = ({ part }: PictureRef): string | undefined => links.get(part);
  const cuts = await cutGraphics(job, reader, { deck, shown, linkOf });
  const cutOf = (element: DeckElement): Cut | undefined => cuts.get(element);
  const pages = shown.map((page): ConvertedPage => {
    const { background } = page;
    const color = typeof background === 'string' ? background : '#ffffff';
    return {
      canvas: {
        objects: canvasObjects({ deck, page, frame }, { linkOf, cutOf }),
        background: background !== null && typeof background === 'object' ? (linkOf(background) ?? color) : color,
        version: CANVAS_VERSION,
      },
      notes: page.notes,
    };
  });
  return {
    pages,
    data: { format: frame.format, resolution: RESOLUTION },
    warnings: [...warnings, ...leftOutWarnings(shown, { linkOf, cutOf })],
  };
}

/** URLs of the deck's pictures by their part; undefined when one cannot be decoded. */
async function keepPictures(
  { keep, signal }: ConversionJob,
  reader: Reader,
  shown: readonly DeckPage[],
): Promise<Map<string, string | undefined>> {
  const links = new Map<string, string | undefined>();
  for (const { part } of shown.flatMap(picturesOf)) {
    signal.throwIfAborted();
    if (links.has(part)) continue;
    const bytes = await reader.part(part);
    const picture = bytes === undefined ? undefined : await encodePicture(bytes);
    links.set(part, picture && (await keep(`picture-${numbered(links.size)}.${picture.extension}`, picture)));
  }
  return links;
}

/** LibreOffice's drawing of an element, and its position. */
interface Cut {
  readonly src: string;
  readonly box: PageBox;
}

/** Pictures of elements that only LibreOffice can draw, cut out of pages without text; none without LibreOffice. */
async function cutGraphics(
  job: ConversionJob,
  reader: Reader,
  { deck, shown, linkOf }: Pick<Shown, 'deck' | 'shown'> & { linkOf: (picture: PictureRef) => string | undefined },
): Promise<Map<DeckElement, Cut>> {
  const { office, kind, folder } = job;
  const cuts = new Map<DeckElement, Cut>();
  const isWanted = (element: DeckElement): boolean =>
    element.kind === 'graphic' || (element.kind === 'picture' && linkOf(element.picture) === undefined);
  if (office === undefined || kind === 'pdf' || !shown.some(({ elements }) => elements.some(isWanted))) return cuts;
  job.onProgress({ progress: SHARE.reading, stage: 'converting' });
  const path = join(folder, `wordless.${kind}`);
  await reader.silence(kind, path);
  await withOfficePages(job, { reader, office, kind, path, count: shown.length }, async (pages) => {
    for (const [index, { elements }] of shown.entries()) {
      job.signal.throwIfAborted();
      const wanted = elements.filter(isWanted);
      if (wanted.length === 0) continue;
      const drawn = await pages.draw(index, pageFrameOf(deck).pixels);
      for (const element of wanted) {
        const cut = await cutFromPage(drawn, element.box, deck);
        if (cut === undefined) continue;
        const name = `graphic-${numbered(cuts.size)}.${cut.picture.extension}`;
        cuts.set(element, { src: await job.keep(name, cut.picture), box: cut.box });
      }
    }
  });
  await rm(path, { force: true });
  return cuts;
}

function picturesOf(page: DeckPage): PictureRef[] {
  const background = typeof page.background === 'object' && page.background !== null ? [page.background] : [];
  return [...background, ...page.elements.flatMap((element) => (element.kind === 'picture' ? [element.picture] : []))];
}

function leftOutWarnings(shown: readonly DeckPage[], { linkOf, cutOf }: PictureLinks): string[] {
  const kinds = new Map<string, Set<number>>();
  for (const [index, { leftOut, elements }] of shown.entries()) {
    const lost = elements.flatMap((element) => {
      if (cutOf(element) !== undefined) return [];
      if (element.kind === 'graphic') return element.what ?? [];
      const isLost = element.kind === 'picture' && linkOf(element.picture) === undefined;
      return isLost ? ['pictures in an unsupported format'] : [];
    });
    for (const kind of [...leftOut, ...lost]) kinds.set(kind, (kinds.get(kind) ?? new Set<number>()).add(index + 1));
  }
  return [...kinds].map(
    ([kind, pages]) => `Left out on ${pages.size === 1 ? 'slide' : 'slides'} ${[...pages].join(', ')}: ${kind}.`,
  );
}

function linkedWarning(linked: readonly string[]): string {
  return `The presentation links to ${linked.length} ${linked.length === 1 ? 'file' : 'files'} elsewhere, which were not fetched. Embed pictures and videos instead of linking to them.`;
}

/** `001` of 0. */
function numbered(index: number): string {
  return String(index + 1).padStart(3, '0');
}

/** Seconds that a page without notes is shown; a page with notes lasts as long as its speech. */
export function durationOf(notes: string): number | undefined {
  return notes.trim() === '' ? SILENT_PAGE_SECONDS : undefined;
}
