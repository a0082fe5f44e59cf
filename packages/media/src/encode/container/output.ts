import { containerOf } from '@figurehead/contract/document';
import { openMp4 } from './mp4.js';
import type { OutputOptions, OutputWriter } from './output-writer.js';
import { openWebm } from './webm.js';

/** Starts a file in the container of its codec at `path` (replaced if it exists). */
export function openOutput(path: string, options: OutputOptions): Promise<OutputWriter> {
  return containerOf(options.codec).extension === 'mp4' ? openMp4(path, options) : openWebm(path, options);
}
