/** Public entry of `photo/`: presenters made from one portrait, or from a film of a person. */
export * from './contract.js';
export { makeFootagePack } from './footage/footage-pack.js';
export { makePhotoPack, readPortrait } from './photo-pack.js';
