import type { Slide } from '@figurehead/contract';
import { canvasObjects } from './canvas-objects.js';
import { type Deck, type DeckPage, type PictureRef, textOf } from './deck.js';
import { type Frame, frameOf, RESOLUTION } from './frame.js';
import type { PresentationKind } from './inspection.js';
import { requirePageCount, SILENT_PAGE_SECONDS } from './limits.js';
import { HOW_TO_INSTALL_OFFICE, type Office } from './office.js';
import { type EncodedPicture, encodePage, encodePicture } from './page-picture.js';
import { PresentationProblem } from './problem.js';
import { openReader, type Reader } from './reader.js';

/** What a conversion gets. */
export interface ConversionJob {
  readonly path: string;
  readonly kind: PresentationKind;
  /** Text boxes and pictures as objects of their own instead of one picture a page. */
  readonly editable: boolean;
  /** Pages must look as designed: without LibreOffice there is no conversion. */
  readonly strict: boolean;
  /** Empty; the caller removes it afterwards. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** `undefined` where LibreOffice is not installed. */
  readonly office: Office | undefined;
  /** Keeps a picture and gives the address that slides show. */
  keep(name: string, picture: EncodedPicture): Promise<string>;
  onProgress(progress: { progress: number; stage: string }): void;
}

/** One page as a slide without its speaker. */
export interface ConvertedPage {
  readonly canvas: NonNullable<Slide['canvas']>;
  readonly notes: string;
}

/** A converted presentation. */
export interface Conversion {
  readonly pages: readonly ConvertedPage[];
  readonly data: { readonly format: Frame['format']; readonly resolution: string };
  /** What differs from the presentation, for its owner. */
  readonly warnings: readonly string[];
}

/** Shares of the whole, measured on decks of 10 to 60 pages: LibreOffice takes as long as all drawing does. */
const SHARE = { reading: 0.05, converting: 0.45, drawing: 0.5 } as const;

/** Version of Fabric.js whose JSON the canvas follows. */
const CANVAS_VERSION = '5.3.0';

/** Makes slides of a presentation. Throws {@link PresentationProblem} for what is wrong with the file. */
export async function convertPresentation(job: ConversionJob): Promise<Conversion> {
  const { path, kind, signal, office, onProgress } = job;
  onProgress({ progress: 0, stage: 'reading' });
  const reader = openReader(path, signal);
  try {
    // Checked where it is opened: between the upload and now the file lay in a store.
    const { linked } = await reader.inspect();
    const warnings = linked.length === 0 ? [] : [linkedWarning(linked)];
    if (kind === 'pdf') {
      const conversion = await drawPdf(job, reader, { notes: [], from: SHARE.reading });
      return job.editable
        ? { ...conversion, warnings: ['The pages of a PDF are pictures; their text cannot be edited.'] }
        : conversion;
    }
    const deck = await reader.deck(kind);
    const shown = deck.pages.filter(({ hidden }) => !hidden);
    requirePageCount(shown.length, deck.pages.length - shown.length);
    if (job.editable || office === undefined) {
      if (office === undefined) {
        if (job.strict)
          throw new PresentationProblem(`LibreOffice is not installed on this server. ${HOW_TO_INSTALL_OFFICE}`);
        warnings.push(
          `The pages show titles, text, tables and pictures only, drawn without LibreOffice. ${HOW_TO_INSTALL_OFFICE}`,
        );
      }
      return await drawBuiltIn(job, reader, { deck, shown, warnings });
    }
    onProgress({ progress: SHARE.reading, stage: 'converting' });
    const pdf = await office.toPdf({ path, kind, folder: job.folder, signal });
    const notes = shown.map((page) => page.notes);
    const conversion = await drawOfficePdf(job, pdf, notes);
    return { ...conversion, warnings: [...warnings, ...emojiWarnings(shown, office)] };
  } finally {
    await reader.close();
  }
}

async function drawOfficePdf(job: ConversionJob, pdf: string, notes: readonly string[]): Promise<Conversion> {
  const reader = openReader(pdf, job.signal);
  try {
    const pages = await reader.pages();
    // Notes that stand under other pages would be worse than none.
    if (pages !== notes.length) {
      throw new PresentationProblem(`LibreOffice drew ${pages} of the presentation's ${notes.length} pages.`);
    }
    return await drawPdf(job, reader, { notes, from: SHARE.reading + SHARE.converting });
  } finally {
    await reader.close();
  }
}

async function drawPdf(
  job: ConversionJob,
  reader: Reader,
  { notes, from }: { notes: readonly string[]; from: number },
): Promise<Conversion> {
  const count = await reader.pages();
  requirePageCount(count);
  const first = await reader.size(0);
  const frame = frameOf(first);
  const pages: ConvertedPage[] = [];
  for (let index = 0; index < count; index++) {
    job.signal.throwIfAborted();
    job.onProgress({ progress: from + ((1 - from) * index) / count, stage: 'drawing' });
    const picture = await encodePage(await reader.draw(index, frame.pixels), frame.pixels);
    const background = await job.keep(`page-${String(index + 1).padStart(3, '0')}.${picture.extension}`, picture);
    pages.push({ canvas: { objects: [], background, version: CANVAS_VERSION }, notes: notes[index] ?? '' });
  }
  return { pages, data: { format: frame.format, resolution: RESOLUTION }, warnings: [] };
}

async function drawBuiltIn(
  job: ConversionJob,
  reader: Reader,
  { deck, shown, warnings }: { deck: Deck; shown: readonly DeckPage[]; warnings: string[] },
): Promise<Conversion> {
  const frame = frameOf(deck);
  const links = new Map<string, string | undefined>();
  const keepPicture = async ({ part }: PictureRef): Promise<void> => {
    if (links.has(part)) return;
    const bytes = await reader.part(part);
    const picture = bytes === undefined ? undefined : await encodePicture(bytes);
    links.set(
      part,
      picture && (await job.keep(`picture-${String(links.size + 1).padStart(3, '0')}.${picture.extension}`, picture)),
    );
  };
  const pages: ConvertedPage[] = [];
  for (const [index, page] of shown.entries()) {
    job.signal.throwIfAborted();
    job.onProgress({ progress: SHARE.reading + ((1 - SHARE.reading) * index) / shown.length, stage: 'drawing' });
    for (const picture of picturesOf(page)) await keepPicture(picture);
    const linkOf = ({ part }: PictureRef): string | undefined => links.get(part);
    const { background } = page;
    const color = typeof background === 'string' ? background : '#ffffff';
    pages.push({
      canvas: {
        objects: canvasObjects({ deck, page, frame }, linkOf),
        background: background !== null && typeof background === 'object' ? (linkOf(background) ?? color) : color,
        version: CANVAS_VERSION,
      },
      notes: page.notes,
    });
  }
  return {
    pages,
    data: { format: frame.format, resolution: RESOLUTION },
    warnings: [...warnings, ...leftOutWarnings(shown, links)],
  };
}

function picturesOf(page: DeckPage): PictureRef[] {
  const background = typeof page.background === 'object' && page.background !== null ? [page.background] : [];
  return [...background, ...page.elements.flatMap((element) => (element.kind === 'picture' ? [element.picture] : []))];
}

function leftOutWarnings(shown: readonly DeckPage[], links: ReadonlyMap<string, string | undefined>): string[] {
  const kinds = new Map<string, number[]>();
  for (const [index, { leftOut, elements }] of shown.entries()) {
    const isLost = elements.some(
      (element) => element.kind === 'picture' && links.get(element.picture.part) === undefined,
    );
    for (const kind of [...leftOut, ...(isLost ? ['pictures in a format that cannot be read'] : [])]) {
      kinds.set(kind, [...(kinds.get(kind) ?? []), index + 1]);
    }
  }
  return [...kinds].map(
    ([kind, pages]) => `Left out on ${pages.length === 1 ? 'slide' : 'slides'} ${pages.join(', ')}: ${kind}.`,
  );
}

function linkedWarning(linked: readonly string[]): string {
  return `The presentation links to ${linked.length} ${linked.length === 1 ? 'file' : 'files'} elsewhere, which were not fetched. Embed pictures and films instead of linking them.`;
}

function emojiWarnings(shown: readonly DeckPage[], office: Office): string[] {
  if (office.drawsEmoji) return [];
  const pages = shown.flatMap((page, index) =>
    /\p{Emoji_Presentation}|\uFE0F/u.test(textOf(page)) ? [index + 1] : [],
  );
  if (pages.length === 0) return [];
  const where = pages.length === 1 ? `slide ${pages[0]}` : `slides ${pages.join(', ')}`;
  return [
    `LibreOffice ${office.version} does not draw the emoji of ${where}; from 7.5 on it does, with the package fonts-noto-color-emoji.`,
  ];
}

/** Seconds that a page without notes is shown; a page with notes lasts as long as they take to speak. */
export function durationOf(notes: string): number | undefined {
  return notes.trim() === '' ? SILENT_PAGE_SECONDS : undefined;
}
