/** H.264, AAC and MP4 out; video, sound and pictures in. `av.ts` is the only importer of node-av. */
export { openAac } from './aac.js';
export * from './contract.js';
export { decodeAudio, MediaError, type MediaInfo, probe } from './decode.js';
export { encodeGif } from './gif.js';
export { inspectMedia } from './inspect.js';
export { keepSound, openKeptSound } from './kept-sound.js';
export { openMp4 } from './mp4.js';
export { findNvenc } from './nvenc.js';
export { type Container, containerOf, openOutput } from './output.js';
export { OutputError } from './output-file.js';
export type { OutputOptions, OutputWriter } from './output-writer.js';
export { encodePicture, yuvToRgba } from './picture.js';
export { encodeStill, openSegmentEncoder } from './segment-encoder.js';
export { formatSrt, formatVtt } from './subtitles.js';
export { decodeFrames, openVideo, type ReaderOptions, type VideoReader } from './video-reader.js';
