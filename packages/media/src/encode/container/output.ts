import type { CONTAINERS } from '@figurehead/contract/document';
import { containerOf } from '@figurehead/contract/document/codec';
import { openMp4 } from './mp4.js';
import type { OutputOptions, OutputWriter } from './output-writer.js';
import { openWebm } from './webm.js';

const WRITERS = { mp4: openMp4, webm: openWebm } as const satisfies Readonly<Record<keyof typeof CONTAINERS, unknown>>;

/** Starts a file in the container of its codec at `path` (replaced if it exists). */
export function openOutput(path: string, options: OutputOptions): Promise<OutputWriter> {
  return WRITERS[containerOf(options.codec).extension](path, options);
}
