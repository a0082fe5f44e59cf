/** Paints the objects of slides, and lays out their text, alike on the server and in the editor. */
export * from './context.js';
export * from './drawables.js';
export { isRightToLeft } from './line-breaks.js';
export * from './painter.js';
export * from './text.js';
