/** Layouts of slides and templates of videos as data, and the looks for them. */
export * from './layout.js';
export * from './look.js';
export * from './make.js';
export * from './slides.js';
export * from './videos.js';
