/** Brands: the colours, fonts, logo and speaker of a workspace's videos. */
export { aiLabelOf, readBrand } from './brands.js';
