import { readFile } from 'node:fs/promises';
import { type PDFiumDocument, PDFiumLibrary, type PDFiumPage } from '@hyzyla/pdfium';
import type { PageSize } from '../reading/frame.js';
import { PASSWORD_PROBLEM, PresentationProblem } from '../reading/problem.js';
import { lacksImage, takeImages } from './page-images.js';
import { type Letter, type TextChoice, takeText } from './page-text.js';
import { PageAccess } from './pdfium.js';
import { linesOf, type PdfLine } from './text-lines.js';

/** A drawn page and the text that is not in its picture. */
export interface PdfPage extends PageSize {
  /** Rows without padding. */
  readonly rgba: Uint8Array;
  /** As displayed, pt. */
  readonly points: PageSize;
  readonly lines: readonly PdfLine[];
  /** Its largest text; empty without any. */
  readonly title: string;
  /** Pictures are missing, because one of them cannot be decoded. */
  readonly lacksPictures: boolean;
}

/** What of a page is drawn, and how large. */
export interface PageDrawing {
  /** The page is drawn as large as fits into it, px. */
  readonly room: PageSize;
  /**
   * Leaves all text out that our fonts can show; otherwise only text is left out that pdfium cannot draw: in
   * `blankFont`, and in foreign scripts whose font is not in the file.
   */
  readonly editable: boolean;
  readonly blankFont: string;
}

/** An open PDF. All calls are synchronous WebAssembly, so use it in a thread that can be terminated. */
export interface Pdf {
  readonly pages: number;
  /** Of the first page, pt. */
  size(): PageSize;
  /** Draws a page, from 0, on white. */
  draw(index: number, drawing: PageDrawing): Promise<PdfPage>;
  close(): void;
}

/** `FPDF_ERR_PASSWORD` and `FPDF_ERR_SECURITY` of fpdfview.h. */
const PASSWORD_ERRORS = [4, 5];

/** Opens a PDF. Throws {@link PresentationProblem} when it is encrypted or damaged. */
export async function openPdf(path: string): Promise<Pdf> {
  const bytes = await readFile(path);
  let opened = await load(bytes);
  return {
    pages: opened.document.getPageCount(),
    size() {
      const page = opened.document.getPage(0);
      const size = sizeOf(page);
      // The library closes a page only after drawing it.
      page['module']._FPDF_ClosePage(page['pageIdx']);
      return size;
    },
    async draw(index, drawing) {
      try {
        return await drawPage(opened.document.getPage(index), drawing, true);
      } catch (error) {
        // WebAssembly's own error; a problem of the file has another name.
        if (!(error instanceof Error) || error.name !== 'RuntimeError') throw error;
        // A picture has ended the program: another instance draws the page without it.
        opened = await load(bytes);
        return drawPage(opened.document.getPage(index), drawing, false);
      }
    },
    close() {
      opened.document.destroy();
      opened.library.destroy();
    },
  };
}

async function drawPage(
  page: PDFiumPage,
  { room, editable, blankFont }: PageDrawing,
  hasPictures: boolean,
): Promise<PdfPage> {
  const points = sizeOf(page);
  const access = new PageAccess(page);
  const { all, taken } = takeText(access, editable ? () => true : undrawable(blankFont));
  const lines = linesOf(taken);
  const lacksPictures = !hasPictures || lacksImage(access);
  if (!hasPictures) takeImages(access);
  access.close();
  const scale = Math.min(room.width / points.width, room.height / points.height);
  const size = { width: fit(points.width * scale, room.width), height: fit(points.height * scale, room.height) };
  const { width, height, data } = await page.render({ ...size, render: 'bitmap', renderFormFields: true });
  return { width, height, rgba: data, points, lines, title: titleOf(all), lacksPictures };
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

function sizeOf(page: PDFiumPage): PageSize {
  const { originalWidth: width, originalHeight: height } = page.getOriginalSize();
  if (width > 0 && height > 0) return { width, height };
  throw new PresentationProblem(`Page ${page.number + 1} of the PDF is damaged.`);
}

/** Whole pixels, at least one; a page that is less than a percent smaller than the room is stretched, to avoid a seam. */
function fit(px: number, room: number): number {
  return px > room * 0.99 ? room : Math.max(1, Math.round(px));
}

async function load(bytes: Buffer): Promise<{ library: PDFiumLibrary; document: PDFiumDocument }> {
  const library = await PDFiumLibrary.init();
  try {
    return { library, document: await library.loadDocument(bytes) };
  } catch (cause) {
    // The library distinguishes its errors by text only; pdfium's error code is still available.
    const isEncrypted = PASSWORD_ERRORS.includes(library['module']._FPDF_GetLastError());
    library.destroy();
    const problem = isEncrypted ? PASSWORD_PROBLEM : 'The PDF is damaged: it cannot be read.';
    throw new PresentationProblem(problem, { cause });
  }
}
