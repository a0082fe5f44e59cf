/** Speech to movement: phonemes become mouth curves; eyes, head and breath live beside them. Pure and seeded. */
export * from './contract.js';
export { createFaceTrack, createLiveFace, type LiveFace } from './track.js';
