import type { PDFiumPage } from '@hyzyla/pdfium';
import { OBJECT, type Pdfium } from './pdfium.js';

/** Formats whose decoders fail for whole pictures: JPEG 2000 and JBIG2. Others show what can be read. */
const FRAGILE = /^(JPX|JBIG2)Decode/;
const NAME_BYTES = 32;

/** Whether an open page has a picture that cannot be decoded, which its drawing then lacks. */
export function lacksImage(page: PDFiumPage): boolean {
  const { pdfium, fragile } = imagesOf(page);
  return fragile.some((image) => {
    const bitmap = pdfium._FPDFImageObj_GetBitmap(image);
    if (bitmap !== 0) pdfium._FPDFBitmap_Destroy(bitmap);
    return bitmap === 0;
  });
}

/** Takes the fragile pictures off an open page, or all when there is none of these. */
export function takeImages(page: PDFiumPage): void {
  const { pdfium, all, fragile } = imagesOf(page);
  for (const image of fragile.length > 0 ? fragile : all) pdfium._FPDFPageObj_SetIsActive(image, 0);
}

function imagesOf(page: PDFiumPage): { pdfium: Pdfium; all: readonly number[]; fragile: readonly number[] } {
  const pdfium = page['module'] as unknown as Pdfium;
  const handle = page['pageIdx'];
  const memory = pdfium.wasmExports.malloc(NAME_BYTES);
  const objects = Array.from({ length: pdfium._FPDFPage_CountObjects(handle) }, (_, index) =>
    pdfium._FPDFPage_GetObject(handle, index),
  );
  const all = objects.filter((object) => pdfium._FPDFPageObj_GetType(object) === OBJECT.image);
  const fragile = all.filter((image) => {
    const length = pdfium._FPDFImageObj_GetImageFilter(image, 0, memory, NAME_BYTES);
    return FRAGILE.test(Buffer.from(pdfium.HEAPU8.subarray(memory, memory + length)).toString('latin1'));
  });
  pdfium.wasmExports.free(memory);
  return { pdfium, all, fragile };
}
