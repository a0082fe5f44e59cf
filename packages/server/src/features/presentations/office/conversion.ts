import type { CanvasObject, Slide } from '@figurehead/contract';
import { BLANK_EMOJI, type Fonts, openTextMeasure } from '@figurehead/media';
import { type EncodedPicture, encodePage, encodePicture } from '../pdf/page-picture.js';
import type { PdfPage } from '../pdf/pdf.js';
import { textObjects } from '../pdf/text-objects.js';
import { avatarObject } from '../presenter.js';
import type { Deck, DeckPage } from '../reading/deck.js';
import { type PageFrame, pageFrameOf, RESOLUTION } from '../reading/frame.js';
import type { PresentationKind } from '../reading/inspection.js';
import { PresentationProblem } from '../reading/problem.js';
import { openReader, type Reader } from '../reading/reader.js';
import type { TextInventory } from '../reading/text-inventory.js';
import { emojiRestorer } from './emoji.js';
import { Films, type KeptFilm } from './films.js';
import type { OfficeFonts } from './fonts.js';
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
  /** Slides have a presenter. */
  readonly hasAvatar: boolean;
  /** Empty; the caller removes it afterwards. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** `undefined` when LibreOffice is not installed. */
  readonly office: Office | undefined;
  /** `open` opens those of slides. */
  readonly fonts: OfficeFonts & { open(): Promise<Fonts> };
  /** Stores a picture and returns the URL for slides. */
  keep(name: string, picture: EncodedPicture): Promise<string>;
  /** Converts and stores a film at `path`; `undefined` when it cannot be played. */
  keepFilm(name: string, path: string): Promise<KeptFilm | undefined>;
  onProgress(progress: { progress: number; stage: string }): void;
}

/** One page as a slide. */
export interface ConvertedPage {
  readonly canvas: NonNullable<Slide['canvas']>;
  readonly notes: string;
  readonly title: string;
  readonly transition: Slide['transition'];
  /** Seconds that it is shown without speech; a page with notes lasts as long as its speech. */
  readonly duration: number | undefined;
}

/** A converted presentation. */
export interface Conversion {
  readonly pages: readonly ConvertedPage[];
  readonly data: { readonly format: PageFrame['format']; readonly resolution: string };
  /** Differences from the presentation, for its owner. */
  readonly warnings: readonly string[];
}

/** Shares of the total time, measured on decks of 10 to 60 pages: LibreOffice takes as long as drawing. */
const SHARE = { reading: 0.05, converting: 0.45 } as const;

/** Display time of a slide without notes, seconds. */
const SILENT_PAGE_SECONDS = 5;

/** Version of Fabric.js whose JSON the canvas follows. */
const CANVAS_VERSION = '5.3.0';

/** Maximum text objects of a page. A slide holds 500 objects; a page with more texts is a drawing. */
const MAX_TEXTS = 400;

/** Converts a presentation to slides. Throws {@link PresentationProblem} for problems of the file. */
export async function convertPresentation(job: ConversionJob): Promise<Conversion> {
  job.onProgress({ progress: 0, stage: 'reading' });
  return withReader(job, job.path, async (reader) => {
    // Inspected again, because the file was in the object store since the upload.
    const { deck, first, pages } = await reader.inspect();
    if (first !== undefined) return new PageConversion(job, first).convert(reader, pages ?? 0);
    if (deck !== undefined) return convertDeck(job, { reader, deck });
    // An old file becomes an .odp first, which has its notes and titles.
    const path = await convertByOffice(job, 'odp');
    return convertPresentation({ ...job, path, kind: 'odp' });
  });
}

async function withReader<T>(job: ConversionJob, path: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  const reader = openReader(path, job.signal);
  try {
    return await work(reader);
  } finally {
    await reader.close();
  }
}

async function convertByOffice(job: ConversionJob, to: 'odp' | 'pdf', text?: TextInventory): Promise<string> {
  job.onProgress({ progress: SHARE.reading, stage: 'converting' });
  const { path, kind, folder, signal, fonts } = job;
  if (job.office !== undefined) return job.office.convert({ path, kind, to, folder, signal, fonts, text });
  throw new PresentationProblem(`LibreOffice is not installed on this server. ${HOW_TO_INSTALL_OFFICE}`);
}

async function convertDeck(job: ConversionJob, { reader, deck }: Source): Promise<Conversion> {
  const source = { reader, deck: { ...deck, pages: deck.pages.filter(({ hidden }) => !hidden) } };
  if (job.office === undefined && !job.strict) return new PageConversion(job, deck, source).outline();
  const text = await reader.textInventory();
  const path = await convertByOffice(job, 'pdf', text);
  return withReader(job, path, async (pdf) => {
    const { pages, first } = await pdf.inspect();
    // Notes under the wrong pages would be worse than none.
    const { length } = source.deck.pages;
    if (pages !== length || first === undefined) {
      throw new PresentationProblem(`LibreOffice drew ${pages} of the presentation's ${length} pages.`);
    }
    return new PageConversion(job, first, source).convert(pdf, pages, text);
  });
}

/** The presentation's own file, with the pages that are shown. */
interface Source {
  readonly reader: Reader;
  readonly deck: Deck;
}

class PageConversion {
  readonly #job: ConversionJob;
  readonly #frame: PageFrame;
  readonly #source: Source | undefined;
  readonly #films: Films | undefined;
  readonly #warnings: string[] = [];
  readonly #pages: ConvertedPage[] = [];

  constructor(job: ConversionJob, size: { readonly width: number; readonly height: number }, source?: Source) {
    this.#job = job;
    this.#frame = pageFrameOf(size);
    this.#source = source;
    this.#films = source && new Films({ ...job, ...source, canvas: this.#frame.canvas, warnings: this.#warnings });
    const { length } = source?.deck.linked ?? [];
    if (length > 0) {
      this.#warnings.push(
        `The presentation links to ${length} ${length === 1 ? 'file' : 'files'} elsewhere, which were not fetched. Embed pictures and videos instead of linking to them.`,
      );
    }
  }

  /** Slides with the pages of a PDF; `text` of the deck that it was made from. */
  async convert(pdf: Reader, count: number, text?: TextInventory): Promise<Conversion> {
    const { fonts, signal, onProgress, keep } = this.#job;
    const opened = await fonts.open();
    const standIns = new StandIns(opened, fonts.own, text?.shown);
    const measure = await openTextMeasure(opened);
    const restore = emojiRestorer(text?.emoji);
    const from = SHARE.reading + (text === undefined ? 0 : SHARE.converting);
    for (let index = 0; index < count; index++) {
      signal.throwIfAborted();
      onProgress({ progress: from + ((1 - from) * index) / count, stage: `drawing page ${index + 1} of ${count}` });
      const page = await this.#draw(pdf, index);
      const placing = { page: page.points, frame: this.#frame, familyOf: standIns.familyOf, measure };
      const picture = await encodePage(page, this.#frame.pixels);
      const background = await keep(`page-${numbered(index)}.${picture.extension}`, picture);
      const objects = textObjects(restore(page.lines), placing);
      await this.#add({ objects, background, version: CANVAS_VERSION }, page.title, picture.bytes);
    }
    return this.#done(standIns.warnings());
  }

  /** Slides in one of our layouts, without the look of the pages. */
  async outline(): Promise<Conversion> {
    for (const page of this.#source?.deck.pages ?? []) {
      this.#job.signal.throwIfAborted();
      await this.#add(plainCanvas(page, this.#frame, await this.#firstPicture(page)), '');
    }
    return this.#done([`The slides show only titles, text and pictures of the pages. ${HOW_TO_INSTALL_OFFICE}`]);
  }

  #done(warnings: readonly string[]): Conversion {
    const data = { format: this.#frame.format, resolution: RESOLUTION };
    return { pages: this.#pages, data, warnings: [...this.#warnings, ...warnings] };
  }

  /** Adds a slide with its films, which are below the words of a page, its notes and its presenter. */
  async #add(canvas: ConvertedPage['canvas'], largestText: string, picture?: Buffer): Promise<void> {
    const filePage = this.#source?.deck.pages[this.#pages.length];
    const { notes = '', title = '', clips = [], transition } = filePage ?? {};
    const isSilent = notes.trim() === '';
    const films = (await this.#films?.of(clips, { page: this.#pages.length + 1, isMuted: !isSilent })) ?? [];
    const [own, moving] = [canvas.objects ?? [], films.map(({ object }) => object)];
    const objects: CanvasObject[] = picture === undefined ? [...own, ...moving] : [...moving, ...own];
    if (this.#job.hasAvatar) objects.push(await avatarObject(picture, objects, this.#frame.canvas));
    const duration = Math.max(SILENT_PAGE_SECONDS, ...films.map(({ seconds }) => seconds));
    this.#pages.push({
      canvas: { ...canvas, objects },
      notes,
      title: title || largestText,
      transition,
      duration: isSilent ? duration : undefined,
    });
  }

  async #draw(pdf: Reader, index: number): Promise<PdfPage> {
    const drawing = { room: this.#frame.pixels, blankFont: BLANK_EMOJI, editable: this.#job.editable };
    const page = await pdf.draw(index, drawing);
    if (page.lacksPictures) this.#warnings.push(`A picture of page ${index + 1} is missing: it cannot be read.`);
    if (page.lines.length <= MAX_TEXTS) return page;
    this.#warnings.push(`Page ${index + 1} has ${page.lines.length} texts, too many to be edited; it is a picture.`);
    return pdf.draw(index, { ...drawing, editable: false });
  }

  /** URL of the first picture of a page that can be decoded. */
  async #firstPicture({ pictures }: DeckPage): Promise<string | undefined> {
    for (const part of pictures) {
      const bytes = await this.#source?.reader.part(part);
      const picture = bytes && (await encodePicture(bytes));
      if (picture !== undefined) {
        return this.#job.keep(`picture-${numbered(this.#pages.length)}.${picture.extension}`, picture);
      }
    }
    return undefined;
  }
}

/** `001` of 0. */
function numbered(index: number): string {
  return String(index + 1).padStart(3, '0');
}
