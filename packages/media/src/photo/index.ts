/** Public entry of `photo/`: presenters made from one portrait. */
export * from './contract.js';
export { makePhotoPack, readPortrait } from './photo-pack.js';
