import { readFile } from 'node:fs/promises';
import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium';
import { PresentationProblem } from '../reading/problem.js';
import { lettersOf, type SetLetter } from './letters.js';

/** An open PDF. All calls are synchronous WebAssembly, so use it in a thread that can be terminated. */
export interface Pdf {
  readonly pages: number;
  /** Size of a page as displayed, pt. */
  size(page: number): { width: number; height: number };
  /** Draws a page as large as fits into `room` (px), on white. RGBA, rows without padding. */
  draw(
    page: number,
    room: { width: number; height: number },
  ): Promise<{ width: number; height: number; rgba: Uint8Array }>;
  /** The letters of a page in this font. */
  letters(page: number, font: string): SetLetter[];
  close(): void;
}

/** `FPDF_ERR_PASSWORD` and `FPDF_ERR_SECURITY` of fpdfview.h. */
const PASSWORD_ERRORS = [4, 5];

/** Opens a PDF. Throws {@link PresentationProblem} when it is encrypted or damaged. */
export async function openPdf(path: string): Promise<Pdf> {
  const library = await PDFiumLibrary.init();
  const document = await load(library, await readFile(path));
  return {
    pages: document.getPageCount(),
    size: (index) => sizeOf(document, index),
    async draw(index, room) {
      const own = sizeOf(document, index);
      const scale = Math.min(room.width / own.width, room.height / own.height);
      const size = { width: fit(own.width * scale, room.width), height: fit(own.height * scale, room.height) };
      const page = document.getPage(index);
      const { width, height, data } = await page.render({ ...size, render: 'bitmap', renderFormFields: true });
      return { width, height, rgba: data };
    },
    letters: (index, font) => lettersOf(document.getPage(index), font),
    close() {
      document.destroy();
      library.destroy();
    },
  };
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

async function load(library: PDFiumLibrary, bytes: Buffer): Promise<PDFiumDocument> {
  try {
    return await library.loadDocument(bytes);
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
