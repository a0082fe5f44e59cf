/** Brands: the colours, fonts, logo and speaker of a workspace's videos. */
export { aiLabelOf, bindBrands, readBrand } from './brands.js';
