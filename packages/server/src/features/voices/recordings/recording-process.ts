import { writeFile } from 'node:fs/promises';
import type { SpeechTrack } from '@figurehead/media';
import { encodeWav } from '@figurehead/media/basic';
import { createSpeech, energyOf, type RecordedOptions, type Speech, SpeechError } from '@figurehead/media/speech';
import { serveProcess } from '../../../kernel/workers/process-program.js';

// Program of a process that reads recordings: they are untrusted files, and native code decodes them.

/** A recording to read. */
export interface RecordingJob extends Omit<RecordedOptions, 'signal'> {
  readonly file: string;
  /** Path for the sound as a WAV file. */
  readonly out: string;
}

let opened: Speech | undefined;

serveProcess(
  async ({ file, out, ...options }: RecordingJob): Promise<SpeechTrack> => {
    opened ??= createSpeech({ threads: 1, cacheBytes: 0 });
    const signal = new AbortController().signal;
    const { samples, marks } = await opened.recorded(file, { ...options, signal });
    await writeFile(out, encodeWav(samples));
    return { samples: samples.length, marks, energy: energyOf(samples) };
  },
  (error) => (error instanceof SpeechError ? error.message : undefined),
);
