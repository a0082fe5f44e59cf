/** Functions of pdfium (fpdfview.h, fpdf_text.h, fpdf_edit.h) that the library's types lack. Pointers are numbers. */
export interface Pdfium {
  readonly wasmExports: { malloc(size: number): number; free(pointer: number): void };
  readonly HEAPU8: Uint8Array;
  _FPDF_ClosePage(page: number): void;
  _FPDF_GetPageWidthF(page: number): number;
  _FPDF_GetPageHeightF(page: number): number;
  _FPDF_PageToDevice(...place: readonly number[]): number;
  _FPDFText_LoadPage(page: number): number;
  _FPDFText_ClosePage(text: number): void;
  _FPDFText_CountChars(text: number): number;
  _FPDFText_GetUnicode(text: number, index: number): number;
  _FPDFText_IsGenerated(text: number, index: number): number;
  _FPDFText_HasUnicodeMapError(text: number, index: number): number;
  _FPDFText_GetTextObject(text: number, index: number): number;
  _FPDFText_GetFontSize(text: number, index: number): number;
  _FPDFText_GetCharOrigin(text: number, index: number, x: number, y: number): number;
  _FPDFText_GetLooseCharBox(text: number, index: number, box: number): number;
  _FPDFText_GetMatrix(text: number, index: number, matrix: number): number;
  _FPDFTextObj_GetFont(object: number): number;
  _FPDFTextObj_GetTextRenderMode(object: number): number;
  _FPDFFont_GetBaseFontName(font: number, buffer: number, size: number): number;
  _FPDFFont_GetFlags(font: number): number;
  _FPDFFont_GetWeight(font: number): number;
  _FPDFFont_GetIsEmbedded(font: number): number;
  _FPDFPage_CountObjects(page: number): number;
  _FPDFPage_GetObject(page: number, index: number): number;
  _FPDFPageObj_GetType(object: number): number;
  _FPDFPageObj_GetBounds(object: number, ...edges: readonly number[]): number;
  _FPDFPageObj_GetFillColor(object: number, ...channels: readonly number[]): number;
  _FPDFPageObj_GetStrokeColor(object: number, ...channels: readonly number[]): number;
  _FPDFPageObj_SetIsActive(object: number, active: number): number;
  _FPDFPath_GetDrawMode(path: number, fill: number, stroke: number): number;
  _FPDFPath_CountSegments(path: number): number;
  _FPDFImageObj_GetBitmap(image: number): number;
  _FPDFBitmap_Destroy(bitmap: number): void;
  _FPDFImageObj_GetImageFilter(image: number, index: number, buffer: number, size: number): number;
}

/** Types of page objects (fpdf_edit.h). */
export const OBJECT = { text: 1, path: 2, image: 3, shading: 4 } as const;
