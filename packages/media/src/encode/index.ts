/**
 * Encodes H.264, H.265, VP9, AV1, AAC and Opus into MP4 and WebM; reads video, sound and pictures. Only `av.ts` imports
 * node-av.
 */
export { openAac } from './codecs/aac.js';
export { encodeGif } from './codecs/gif.js';
export { findNvenc } from './codecs/nvenc.js';
export { openOpus } from './codecs/opus.js';
export { encodeStill, openSegmentEncoder } from './codecs/segment-encoder.js';
export { LiveFile } from './container/live-file.js';
export { openMp4 } from './container/mp4.js';
export { openOutput } from './container/output.js';
export { OutputError } from './container/output-file.js';
export type { OutputOptions, OutputWriter } from './container/output-writer.js';
export { formatSrt, formatVtt } from './container/subtitles.js';
export * from './contract.js';
export { decodeAudio, type MediaInfo, probe } from './input/decode.js';
export { requireDecodable } from './input/inspect.js';
export { MediaError } from './input/media-error.js';
export { encodePicture, yuvToRgba } from './input/picture.js';
export { decodeFrames, openVideo, type ReaderOptions, type VideoReader } from './input/video-reader.js';
export { openStoredSound, serializeSound } from './sound/sound-format.js';
