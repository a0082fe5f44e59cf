/** Speech to movement: mouth curves from phonemes, plus seeded movements of eyes, head and breath. Pure. */
export * from './contract.js';
export { readStretch, stretchMessage } from './messages.js';
export { createFaceTrack, createLiveFace, type LiveFace } from './track.js';
export { type Viseme, visemeOf } from './visemes.js';
