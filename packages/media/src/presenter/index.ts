/** Public entry of `presenter/`: packs, and the compositor that draws them. */
export { chinOf, createCompositor } from './compositor.js';
export * from './contract.js';
export { framedFolder } from './pack/framing.js';
export { listPacks, loadPack, packPlate } from './pack/pack.js';
export { type ListedVariant, listVariants } from './pack/variant.js';
