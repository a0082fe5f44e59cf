import { writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { CanvasObject, Slide } from '@figurehead/contract';
import { BLANK_EMOJI, type Fonts, openTextMeasure } from '@figurehead/media';
import { type EncodedPicture, encodePage, encodePicture } from '../pdf/page-picture.js';
import type { PdfPage } from '../pdf/pdf.js';
import { textObjects } from '../pdf/text-objects.js';
import { crowdingOf } from '../presenter.js';
import type { Deck, DeckClip, DeckPage } from '../reading/deck.js';
import { type PageFrame, pageFrameOf, RESOLUTION } from '../reading/frame.js';
import type { PresentationKind } from '../reading/inspection.js';
import { requirePageCount, SILENT_PAGE_SECONDS } from '../reading/limits.js';
import { PresentationProblem } from '../reading/problem.js';
import { openReader, type Reader } from '../reading/reader.js';
import { emojiRestorer } from './emoji.js';
import type { OwnFont } from './fonts.js';
import { HOW_TO_INSTALL_OFFICE, type Office } from './office.js';
import { plainCanvas } from './plain-slides.js';
import { StandIns } from './stand-ins.js';

/** Inputs of {@link convertPresentation}. */
export interface ConversionJob {
  readonly path: string;
  readonly kind: PresentationKind;
  /** Text as objects above the page's picture instead of in it. */
  readonly editable: boolean;
  /** Pages must look as designed: without LibreOffice the conversion fails. */
  readonly strict: boolean;
  /** Empty; the caller removes it afterwards. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** `undefined` when LibreOffice is not installed. */
  readonly office: Office | undefined;
  readonly fonts: ConversionFonts;
  /** Stores a picture and returns the URL for slides. */
  keep(name: string, picture: EncodedPicture): Promise<string>;
  /** Converts and stores a film at `path`; `undefined` when it cannot be played. */
  keepFilm(name: string, path: string): Promise<KeptFilm | undefined>;
  onProgress(progress: { progress: number; stage: string }): void;
}

/** A stored film. */
export interface KeptFilm {
  readonly src: string;
  readonly seconds: number;
}

/** Fonts of a conversion. */
export interface ConversionFonts {
  /** The workspace's. */
  readonly own: readonly OwnFont[];
  /** Caches faces between conversions. */
  readonly cacheFolder: string;
  /** Opens the fonts of slides. */
  open(): Promise<Fonts>;
}

/** One page as a slide without a presenter. */
export interface ConvertedPage {
  readonly canvas: NonNullable<Slide['canvas']>;
  readonly notes: string;
  readonly title: string;
  readonly transition: Slide['transition'];
  /** Seconds that it is shown without speech; a page with notes lasts as long as its speech. */
  readonly duration: number | undefined;
  /** How much of a box of the canvas is covered: see {@link crowdingOf}. */
  readonly crowding: ReturnType<typeof crowdingOf>;
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

/** Maximum text objects of a page. A slide holds 500 objects; a page with more texts is a drawing. */
const MAX_TEXTS = 400;

/** Converts a presentation to slides. Throws {@link PresentationProblem} for problems of the file. */
export async function convertPresentation(job: ConversionJob): Promise<Conversion> {
  job.onProgress({ progress: 0, stage: 'reading' });
  const reader = openReader(job.path, job.signal);
  try {
    // Inspected again, because the file was in the object store since the upload.
    const { linked } = await reader.inspect();
    const warnings = linked.length === 0 ? [] : [linkedWarning(linked)];
    if (job.kind === 'pdf') return await new PageConversion(job, warnings).convert(reader, undefined);
    if (job.kind === 'ppt') return await convertPpt(job, warnings);
    return await convertDeck(job, { path: job.path, kind: job.kind, reader, warnings });
  } finally {
    await reader.close();
  }
}

/** An old file becomes an .odp first, which has its notes and titles. */
async function convertPpt(job: ConversionJob, warnings: string[]): Promise<Conversion> {
  const { office, path, folder, signal, fonts } = job;
  if (office === undefined) throw new PresentationProblem(`A .ppt needs LibreOffice. ${HOW_TO_INSTALL_OFFICE}`);
  job.onProgress({ progress: SHARE.reading, stage: 'converting' });
  const textInventory = { families: [], shown: [], codes: [], languages: [], emoji: [] };
  const odp = await office.convert({
    path,
    kind: 'ppt',
    to: 'odp',
    folder,
    signal,
    fonts: { textInventory, own: fonts.own, cacheFolder: fonts.cacheFolder },
  });
  const reader = openReader(odp, signal);
  try {
    return await convertDeck(job, { path: odp, kind: 'odp', reader, warnings });
  } finally {
    await reader.close();
  }
}

interface DeckFile {
  readonly path: string;
  readonly kind: 'pptx' | 'odp';
  readonly reader: Reader;
  readonly warnings: string[];
}

async function convertDeck(job: ConversionJob, { path, kind, reader, warnings }: DeckFile): Promise<Conversion> {
  const { office, folder, signal, fonts } = job;
  const deck = await reader.deck(kind);
  const shown = deck.pages.filter(({ hidden }) => !hidden);
  requirePageCount(shown.length, deck.pages.length - shown.length);
  const conversion = new PageConversion(job, warnings);
  if (office === undefined) {
    if (job.strict) {
      throw new PresentationProblem(`LibreOffice is not installed on this server. ${HOW_TO_INSTALL_OFFICE}`);
    }
    warnings.push(`The slides show only titles, text and pictures of the pages. ${HOW_TO_INSTALL_OFFICE}`);
    return conversion.outline(reader, { ...deck, pages: shown });
  }
  job.onProgress({ progress: SHARE.reading, stage: 'converting' });
  const textInventory = await reader.textInventory();
  const pdf = await office.convert({
    path,
    kind,
    to: 'pdf',
    folder,
    signal,
    fonts: { textInventory, own: fonts.own, cacheFolder: fonts.cacheFolder },
  });
  const pages = openReader(pdf, signal);
  try {
    const count = await pages.pages();
    // Notes under the wrong pages would be worse than none.
    if (count !== shown.length) {
      throw new PresentationProblem(`LibreOffice drew ${count} of the presentation's ${shown.length} pages.`);
    }
    const { emoji, shown: families } = textInventory;
    return await conversion.convert(pages, { reader, deck: { ...deck, pages: shown }, emoji, families });
  } finally {
    await pages.close();
  }
}

/** A deck that belongs to the pages of a PDF. */
interface OwnDeck {
  readonly reader: Reader;
  readonly deck: Deck;
  readonly emoji: readonly string[];
  /** Fonts that its pages name. */
  readonly families: readonly string[];
}

class PageConversion {
  readonly #job: ConversionJob;
  readonly #warnings: string[];
  /** Films by part: pages may share one. */
  readonly #kept = new Map<string, KeptFilm | undefined>();

  constructor(job: ConversionJob, warnings: string[]) {
    this.#job = job;
    this.#warnings = warnings;
  }

  /** Slides with the pages of a PDF. */
  async convert(pdf: Reader, own: OwnDeck | undefined): Promise<Conversion> {
    const { fonts, signal, onProgress } = this.#job;
    const count = await pdf.pages();
    requirePageCount(count);
    const opened = await fonts.open();
    const standIns = new StandIns(
      opened,
      fonts.own.map(({ family }) => family),
    );
    standIns.replaced(own?.families ?? []);
    const measure = await openTextMeasure(opened);
    const restore = emojiRestorer(own?.emoji ?? []);
    const frame = pageFrameOf(await pdf.size(0));
    const from = SHARE.reading + (own === undefined ? 0 : SHARE.converting);
    const pages: ConvertedPage[] = [];
    for (let index = 0; index < count; index++) {
      signal.throwIfAborted();
      onProgress({ progress: from + ((1 - from) * index) / count, stage: `drawing page ${index + 1} of ${count}` });
      const page = await this.#draw(pdf, index, frame);
      const lines = page.lines.map((line) => ({
        ...line,
        spans: line.spans.map((span) => ({ ...span, text: restore(span.text) })),
      }));
      const placing = { page: await pdf.size(index), frame, familyOf: standIns.familyOf.bind(standIns), measure };
      const src = await this.#job.keep(...named(`page-${numbered(index)}`, await encodePage(page, frame.pixels)));
      const filePage = own?.deck.pages[index];
      const films = own === undefined ? [] : await this.#films(own.reader, own.deck, { index, frame });
      const objects = [...films.map(({ object }) => object), ...textObjects(lines, placing)];
      const canvas = { objects, background: src, version: CANVAS_VERSION };
      pages.push(
        pageOf({ canvas, filePage, title: page.title, films, crowding: crowdingOf(page, objects, frame.canvas) }),
      );
    }
    return this.#done(frame, pages, standIns.warnings());
  }

  /** Slides in one of our layouts, without the look of the pages. */
  async outline(reader: Reader, deck: Deck): Promise<Conversion> {
    const frame = pageFrameOf(deck);
    const pages: ConvertedPage[] = [];
    for (const [index, filePage] of deck.pages.entries()) {
      this.#job.signal.throwIfAborted();
      const picture = await this.#picture(reader, filePage, index);
      const films = await this.#films(reader, deck, { index, frame });
      const canvas = plainCanvas(filePage, frame, picture);
      const objects = [...(canvas.objects ?? []), ...films.map(({ object }) => object)];
      const crowding = crowdingOf(undefined, objects, frame.canvas);
      pages.push(pageOf({ canvas: { ...canvas, objects }, filePage, title: '', films, crowding }));
    }
    return this.#done(frame, pages, []);
  }

  #done(frame: PageFrame, pages: readonly ConvertedPage[], warnings: readonly string[]): Conversion {
    return {
      pages,
      data: { format: frame.format, resolution: RESOLUTION },
      warnings: [...this.#warnings, ...warnings],
    };
  }

  async #draw(pdf: Reader, index: number, { pixels: room }: PageFrame): Promise<PdfPage> {
    const options = { room, blankFont: BLANK_EMOJI };
    const page = await pdf.draw(index, { ...options, editable: this.#job.editable });
    if (page.lacksPictures) {
      this.#warnings.push(`A picture of page ${index + 1} is missing: it cannot be read.`);
    }
    if (page.lines.length <= MAX_TEXTS) return page;
    this.#warnings.push(`Page ${index + 1} has ${page.lines.length} texts, too many to be edited; it is a picture.`);
    return pdf.draw(index, { ...options, editable: false });
  }

  /** The first picture of a page that can be decoded. */
  async #picture(reader: Reader, { pictures }: DeckPage, index: number): Promise<string | undefined> {
    for (const part of pictures) {
      const bytes = await reader.part(part);
      const picture = bytes === undefined ? undefined : await encodePicture(bytes);
      if (picture !== undefined) return this.#job.keep(...named(`picture-${numbered(index)}`, picture));
    }
    return undefined;
  }

  async #films(reader: Reader, deck: Deck, at: { index: number; frame: PageFrame }): Promise<PlacedFilm[]> {
    const films: PlacedFilm[] = [];
    for (const clip of deck.pages[at.index]?.clips ?? []) {
      this.#job.signal.throwIfAborted();
      const kept = clip.type === 'audio' ? undefined : await this.#film(reader, clip);
      if (kept === undefined) {
        const what = clip.type === 'audio' ? 'sound' : 'film';
        const why = clip.part === null ? ' It is not in the presentation.' : '';
        this.#warnings.push(`The ${what} ${clip.name} of page ${at.index + 1} is not played.${why}`);
      } else films.push({ ...kept, object: filmObject(clip, kept.src, { deck, frame: at.frame }) });
    }
    return films;
  }

  async #film(reader: Reader, { part }: DeckClip): Promise<KeptFilm | undefined> {
    const bytes = part === null || this.#kept.has(part) ? undefined : await reader.part(part);
    if (bytes !== undefined && part !== null) {
      const name = `film-${numbered(this.#kept.size)}`;
      const path = join(this.#job.folder, `${name}${extname(part)}`);
      await writeFile(path, bytes);
      this.#kept.set(part, await this.#job.keepFilm(name, path));
    }
    return part === null ? undefined : this.#kept.get(part);
  }
}

interface PlacedFilm extends KeptFilm {
  readonly object: CanvasObject;
}

function filmObject(
  clip: DeckClip,
  src: string,
  { deck, frame: { canvas } }: { deck: Deck; frame: PageFrame },
): CanvasObject {
  const scale = Math.min(canvas.width / deck.width, canvas.height / deck.height);
  const round = (value: number): number => Math.round(value * 100) / 100;
  return {
    type: 'video',
    left: round((canvas.width - deck.width * scale) / 2 + clip.left * scale),
    top: round((canvas.height - deck.height * scale) / 2 + clip.top * scale),
    width: round(clip.width * scale),
    height: round(clip.height * scale),
    src,
    loop: false,
  };
}

function pageOf(parts: {
  canvas: ConvertedPage['canvas'];
  filePage: DeckPage | undefined;
  title: string;
  films: readonly PlacedFilm[];
  crowding: ConvertedPage['crowding'];
}): ConvertedPage {
  const { canvas, filePage, films, crowding } = parts;
  const notes = filePage?.notes ?? '';
  const isSilent = notes.trim() === '';
  const objects = (canvas.objects ?? []).map((object) =>
    // Its sound would cover the presenter.
    object.type === 'video' && isSilent ? { ...object, muted: false } : object,
  );
  const duration = Math.max(SILENT_PAGE_SECONDS, ...films.map(({ seconds }) => seconds));
  return {
    canvas: { ...canvas, objects },
    notes,
    title: filePage?.title || parts.title,
    transition: filePage?.transition,
    duration: isSilent ? duration : undefined,
    crowding,
  };
}

function named(name: string, picture: EncodedPicture): [name: string, picture: EncodedPicture] {
  return [`${name}.${picture.extension}`, picture];
}

function linkedWarning(linked: readonly string[]): string {
  return `The presentation links to ${linked.length} ${linked.length === 1 ? 'file' : 'files'} elsewhere, which were not fetched. Embed pictures and videos instead of linking to them.`;
}

/** `001` of 0. */
function numbered(index: number): string {
  return String(index + 1).padStart(3, '0');
}
