/** Presenters: the catalogue, aliases, their pictures; photo avatars. */
export { DEFAULT_AVATAR } from './built-in.js';
export { type Avatars, HALF_PACK_PX, isBuiltIn } from './catalogue.js';
export { workOnAvatars } from './photo-jobs.js';
export { consentHashes } from './photo-store.js';
export { presenterOf } from './presenter.js';
export { createAvatars } from './workspace-avatars.js';
