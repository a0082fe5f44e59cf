import { OBJECT, type PageAccess } from './pdfium.js';

/** Formats whose decoders fail for whole pictures: JPEG 2000 and JBIG2. Others show what can be read. */
const FRAGILE = /^(JPX|JBIG2)Decode/;

/** Whether a page has a picture that cannot be decoded, which its drawing then lacks. */
export function lacksImage(page: PageAccess): boolean {
  return imagesOf(page).fragile.some((image) => {
    const bitmap = page.call('FPDFImageObj_GetBitmap', image);
    if (bitmap !== 0) page.call('FPDFBitmap_Destroy', bitmap);
    return bitmap === 0;
  });
}

/** Takes the fragile pictures off a page, or all when there is none of these. */
export function takeImages(page: PageAccess): void {
  const { all, fragile } = imagesOf(page);
  for (const image of fragile.length > 0 ? fragile : all) page.hide(image);
}

function imagesOf(page: PageAccess): { all: readonly number[]; fragile: readonly number[] } {
  const all = page.objects().flatMap(({ object, type }) => (type === OBJECT.image ? [object] : []));
  return { all, fragile: all.filter((image) => FRAGILE.test(page.name('FPDFImageObj_GetImageFilter', image, 0))) };
}
