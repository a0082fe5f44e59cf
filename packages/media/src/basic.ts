/** Units and formats, and other parts of the engine that load in milliseconds. */

export * from '@figurehead/presenter/frame';
export * from '@figurehead/presenter/time';
export { orAborted } from './abort.js';
export * from './audio.js';
export { compiledUrl } from './compiled-url.js';
export { formatVtt } from './encode/container/subtitles.js';
export { decodeWav, encodeWav } from './encode/container/wav.js';
export { MediaError } from './encode/input/media-error.js';
export { cleanMovingPicture, isMovingPicture, playablePicture } from './encode/input/moving-picture.js';
export { MAX_PIXELS, openPictureFile, refusalOfPicture } from './encode/input/picture-file.js';
export { availableCpus } from './render/cpus.js';
export { prepareDrawingFonts } from './scene/text/drawing-fonts.js';
