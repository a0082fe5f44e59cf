/** Translations of whole videos by the configured language model. */
export { bindTranslations } from './translations.js';
