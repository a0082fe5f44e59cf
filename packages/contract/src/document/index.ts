/** The video document: its tables (object types, animations, transitions, codecs, providers) and how it is read. */
export * from './animation.js';
export * from './codec.js';
export * from './expression.js';
export * from './face-points.js';
export * from './output.js';
export * from './provider.js';
export * from './table.js';
export * from './transition.js';
