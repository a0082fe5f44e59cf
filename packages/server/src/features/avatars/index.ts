/** Presenters: the catalogue, aliases, their pictures; photo avatars. */
export { DEFAULT_AVATAR } from './built-in.js';
export { type Avatars, HALF_PACK_PX } from './catalogue.js';
export { workOnAvatars } from './photo-jobs.js';
export { presenterOf } from './presenter.js';
export { createAvatars, createProvenance } from './workspace-avatars.js';
