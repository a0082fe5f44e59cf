/** Outlines: chapters and scripts by a language model or the extractive writer, and the draft video of them. */
export { createTranslator } from './translator.js';
