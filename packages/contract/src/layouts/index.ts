/** Slides and videos to begin with, as data, and the looks that they can take. */
export * from './layout.js';
export * from './look.js';
export * from './make.js';
export * from './slides.js';
export * from './videos.js';
