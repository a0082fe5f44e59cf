import type { SoundStream, VideoCodec } from '../contract.js';
import { openMp4 } from './mp4.js';
import type { OutputOptions, OutputWriter } from './output-writer.js';
import { openWebm } from './webm.js';

/** The container of each codec: its file extension, its media type, and the codec of the sound in it. */
export interface Container {
  readonly extension: 'mp4' | 'webm';
  readonly mediaType: 'video/mp4' | 'video/webm';
  readonly sound: SoundStream['codec'];
}

/** The container that videos of a codec lie in. */
export function containerOf(codec: VideoCodec = 'h264'): Container {
  return codec === 'h264' || codec === 'h265'
    ? { extension: 'mp4', mediaType: 'video/mp4', sound: 'aac' }
    : { extension: 'webm', mediaType: 'video/webm', sound: 'opus' };
}

/** Starts a file in the container of its codec at `path` (replaced if it exists). */
export function openOutput(path: string, options: OutputOptions): Promise<OutputWriter> {
  return containerOf(options.codec).extension === 'mp4' ? openMp4(path, options) : openWebm(path, options);
}
