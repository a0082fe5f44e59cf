/** Single frames of a document: the part of the engine for a process that draws untrusted files. */

export { requireDecodable } from './encode/input/inspect.js';
export { MediaError } from './encode/input/media-error.js';
export { DocumentError } from './render/contract.js';
export { openSlidePainter } from './render/drawing/slide-painter.js';
export { type Assets, SceneError } from './scene/assets.js';
export { tryFont } from './scene/text/font-trial.js';
export { FontError, type Fonts, openFonts } from './scene/text/fonts.js';
