/** Public entry of the drawing: packs, and the compositor that draws them, for Node and browsers. */
export * from './contract.js';
export { chinOf, createCompositor } from './drawing/compositor.js';
export { livePlacement, shownPart } from './drawing/crop.js';
export { type DrawingKernel, openKernel, openModule } from './drawing/kernel.js';
export { ALPHA, readArchive, writeArchive } from './pack/archive.js';
export type { DecodedPicture, PackFiles, PackLook, PictureDecoder } from './pack/files.js';
export { isShown } from './pack/framing.js';
export { boxSize, MANIFEST, type Manifest, type PlateBox, readManifest } from './pack/manifest.js';
export { asLoaded, decodePack, type LoadedPack, readLook, readPlate } from './pack/pack.js';
export { readVariant, VARIANTS, type Variant } from './pack/variant.js';
