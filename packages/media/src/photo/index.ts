/** The door of `photo/`: presenters made of one portrait. */
export * from './contract.js';
export { makePhotoPack, readPortrait } from './photo-pack.js';
