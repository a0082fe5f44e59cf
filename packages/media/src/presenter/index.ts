/** Public entry of `presenter/`: finding and loading packs on this machine, and the compositor that draws them. */
export { chinOf } from '@figurehead/presenter';
export * from '@figurehead/presenter/contract';
export { archivePack } from './archive.js';
export { framedFolder } from './folders.js';
export { createCompositor } from './kernel.js';
export { listPacks, loadPack, packPlate } from './packs.js';
export { type ListedVariant, listVariants } from './variants.js';
