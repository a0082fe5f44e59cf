/** H.264, AAC and MP4 out; video, sound and pictures in. `av.ts` is the only importer of node-av. */
export { type AacSettings, type AacStream, openAac } from './aac.js';
export * from './contract.js';
export { decodeAudio, MediaError, type MediaInfo, probe } from './decode.js';
export { encodeStill, openSegmentEncoder } from './h264.js';
export { type Mp4Options, type Mp4Writer, OutputError, openMp4 } from './mp4.js';
export { encodePicture, yuvToRgba } from './picture.js';
export { formatSrt, formatVtt } from './subtitles.js';
export { decodeFrames, openVideo, type ReaderOptions, type VideoReader } from './video-reader.js';
