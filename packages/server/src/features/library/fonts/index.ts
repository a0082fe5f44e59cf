/** Fonts that a workspace has uploaded. */
export { fontFilesOf } from './font-files.js';
export { createFont, deleteFont, listFonts, loadFont, presentFont, updateFont } from './fonts.js';
