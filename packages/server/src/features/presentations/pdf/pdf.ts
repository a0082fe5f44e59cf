import { readFile } from 'node:fs/promises';
import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium';
import { PresentationProblem } from '../reading/problem.js';
import { lacksImage, takeImages } from './page-images.js';
import { type Letter, type TextChoice, takeText } from './page-text.js';
import { linesOf, type PdfLine } from './text-lines.js';

/** A drawn page: RGBA, rows without padding. */
export interface DrawnPage {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

/** A page and the text that is not in its picture. */
export interface PdfPage extends DrawnPage {
  readonly lines: readonly PdfLine[];
  /** Its largest text; empty without any. */
  readonly title: string;
  /** Pictures are missing, because one of them cannot be decoded. */
  readonly lacksPictures: boolean;
}

/** An open PDF. All calls are synchronous WebAssembly, so use it in a thread that can be terminated. */
export interface Pdf {
  readonly pages: number;
  /** Size of a page as displayed, pt. */
  size(page: number): { width: number; height: number };
  /**
   * Draws a page as large as fits into `room` (px), on white. `editable` leaves all text out that our fonts can show;
   * otherwise only text is left out that pdfium cannot draw: in `blankFont`, and in foreign scripts whose font is not
   * in the file.
   */
  draw(
    page: number,
    options: { room: { width: number; height: number }; editable: boolean; blankFont: string },
  ): Promise<PdfPage>;
  close(): void;
}

/** `FPDF_ERR_PASSWORD` and `FPDF_ERR_SECURITY` of fpdfview.h. */
const PASSWORD_ERRORS = [4, 5];

/** Opens a PDF. Throws {@link PresentationProblem} when it is encrypted or damaged. */
export async function openPdf(path: string): Promise<Pdf> {
  const bytes = await readFile(path);
  let opened = await load(bytes);
  const pages = opened.document.getPageCount();

  const draw = async (
    index: number,
    { room, editable, blankFont }: Parameters<Pdf['draw']>[1],
    withPictures: boolean,
  ): Promise<PdfPage> => {
    const own = sizeOf(opened.document, index);
    const scale = Math.min(room.width / own.width, room.height / own.height);
    const size = { width: fit(own.width * scale, room.width), height: fit(own.height * scale, room.height) };
    const page = opened.document.getPage(index);
    const { all, taken } = takeText(page, editable ? () => true : undrawable(blankFont));
    const lines = linesOf(taken);
    const lacksPictures = !withPictures || lacksImage(page);
    if (!withPictures) takeImages(page);
    const { width, height, data } = await page.render({ ...size, render: 'bitmap', renderFormFields: true });
    return { width, height, rgba: data, lines, title: titleOf(all), lacksPictures };
  };

  return {
    pages,
    size: (index) => sizeOf(opened.document, index),
    async draw(index, options) {
      try {
        return await draw(index, options, true);
      } catch (error) {
        // WebAssembly's own error; a problem of the file has another name.
        if (!(error instanceof Error) || error.name !== 'RuntimeError') throw error;
        // A picture has ended the program: another instance draws the page without it.
        opened = await load(bytes);
        return draw(index, options, false);
      }
    },
    close() {
      opened.document.destroy();
      opened.library.destroy();
    },
  };
}

function undrawable(blankFont: string): TextChoice {
  const blank = blankFont.replaceAll(' ', '');
  return (text, { font, embedded }) => font.startsWith(blank) || (!embedded && /[^ -\u024f\u2010-\u203a]/u.test(text));
}

/** Maximum lines of a title. */
const TITLE_LINES = 3;

/** The text with the largest letters, as titles have; empty when all text is of one size, or much of it is that large. */
function titleOf(letters: readonly Letter[]): string {
  const lines = linesOf({ letters, strokes: [] });
  const largest = Math.max(0, ...lines.map(({ em }) => em));
  const title = lines.filter(({ em }) => em > largest * 0.95);
  if (title.length > TITLE_LINES || (title.length > 1 && title.length === lines.length)) return '';
  const words = title.map(({ spans }) => spans.map(({ text }) => text).join(''));
  return words.join(' ').slice(0, 200);
}

function sizeOf(document: PDFiumDocument, index: number): { width: number; height: number } {
  const page = document.getPage(index);
  try {
    const { originalWidth: width, originalHeight: height } = page.getOriginalSize();
    if (!(width > 0 && height > 0)) throw new PresentationProblem(`Page ${index + 1} of the PDF is damaged.`);
    return { width, height };
  } finally {
    // The library closes a page only after drawing it.
    page['module']._FPDF_ClosePage(page['pageIdx']);
  }
}

/**
 * Whole pixels, at least one; a page that is less than a percent smaller than the room is stretched, to avoid a seam.
 */
function fit(px: number, room: number): number {
  return px > room * 0.99 ? room : Math.max(1, Math.round(px));
}

async function load(bytes: Buffer): Promise<{ library: PDFiumLibrary; document: PDFiumDocument }> {
  const library = await PDFiumLibrary.init();
  try {
    return { library, document: await library.loadDocument(bytes) };
  } catch (cause) {
    // The library distinguishes its errors by text only; pdfium's error code is still available.
    const code = library['module']._FPDF_GetLastError();
    library.destroy();
    throw new PresentationProblem(
      PASSWORD_ERRORS.includes(code)
        ? 'The PDF is protected by a password. Save it without one and try again.'
        : 'The PDF is damaged: it cannot be read.',
      { cause },
    );
  }
}
