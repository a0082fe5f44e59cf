/** Slides and videos to begin with, and the looks that they can take. */
export * from '@figurehead/contract/layouts';
