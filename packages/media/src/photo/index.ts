/** Public entry of `photo/`: presenters made from one portrait, or from a film of a person. */
import type * as loaded from './footage/footage-pack.js';

export * from './contract.js';
export { makePhotoPack, readPortrait } from './photo-pack.js';

/** {@link loaded.makeFootagePack}; loaded on first use, because portraits need neither codecs nor speech, which take 0.25 s to load. */
export const makeFootagePack: typeof loaded.makeFootagePack = async (file, options) =>
  (await import('./footage/footage-pack.js')).makeFootagePack(file, options);
