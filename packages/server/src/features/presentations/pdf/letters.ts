import type { PDFiumPage } from '@hyzyla/pdfium';

/** A letter of a PDF; lengths in points, from the page's lower left corner. */
export interface SetLetter {
  /** Code point. */
  readonly code: number;
  /** Start on its baseline. */
  readonly x: number;
  readonly y: number;
  /** Size of its font. */
  readonly em: number;
  /** Direction of its baseline, degrees counter-clockwise. */
  readonly angle: number;
}

/** Functions of pdfium's text module (fpdf_text.h) that the library's types lack. */
interface TextModule {
  readonly wasmExports: { malloc(size: number): number; free(pointer: number): void };
  readonly HEAPU8: Uint8Array;
  _FPDF_ClosePage(page: number): void;
  _FPDFText_LoadPage(page: number): number;
  _FPDFText_ClosePage(text: number): void;
  _FPDFText_CountChars(text: number): number;
  _FPDFText_GetUnicode(text: number, index: number): number;
  _FPDFText_GetFontSize(text: number, index: number): number;
  _FPDFText_GetFontInfo(text: number, index: number, buffer: number, size: number, flags: number): number;
  _FPDFText_GetCharOrigin(text: number, index: number, x: number, y: number): number;
  _FPDFText_GetMatrix(text: number, index: number, matrix: number): number;
}

/** Buffers for a font's name, two doubles and a matrix of six floats. */
const [NAME_BYTES, POINT_BYTES, MATRIX_BYTES] = [128, 16, 24];

/** The letters of a page in a font whose name, without spaces, ends in `font`. Subsets have a prefix of six letters. */
export function lettersOf(page: PDFiumPage, font: string): SetLetter[] {
  const module = page['module'] as unknown as TextModule;
  const wanted = font.replaceAll(' ', '');
  const text = module._FPDFText_LoadPage(page['pageIdx']);
  const memory = module.wasmExports.malloc(NAME_BYTES + POINT_BYTES + MATRIX_BYTES);
  const [point, matrix] = [memory + NAME_BYTES, memory + NAME_BYTES + POINT_BYTES];
  try {
    const letters: SetLetter[] = [];
    const count = module._FPDFText_CountChars(text);
    for (let index = 0; index < count; index++) {
      const length = module._FPDFText_GetFontInfo(text, index, memory, NAME_BYTES, 0);
      // The memory may have grown and moved since the last access.
      const view = new DataView(module.HEAPU8.buffer);
      const name = Buffer.from(module.HEAPU8.subarray(memory, memory + Math.min(length, NAME_BYTES))).toString('utf8');
      if (!name.includes(wanted)) continue;
      module._FPDFText_GetCharOrigin(text, index, point, point + 8);
      module._FPDFText_GetMatrix(text, index, matrix);
      const [a, b] = [view.getFloat32(matrix, true), view.getFloat32(matrix + 4, true)];
      letters.push({
        code: module._FPDFText_GetUnicode(text, index),
        x: view.getFloat64(point, true),
        y: view.getFloat64(point + 8, true),
        em: module._FPDFText_GetFontSize(text, index) * Math.hypot(a, b),
        angle: (Math.atan2(b, a) * 180) / Math.PI,
      });
    }
    return letters;
  } finally {
    module.wasmExports.free(memory);
    module._FPDFText_ClosePage(text);
    // The library closes a page only after drawing it.
    module._FPDF_ClosePage(page['pageIdx']);
  }
}
