/** The program that looks at portraits, for `runDisposable`. */
export const PHOTO_PROGRAM = new URL('./photo-process.js', import.meta.url).href;
