import type { Pcm } from '../audio.js';
import { renderSegments, type SegmentOptions, type ShotSource } from './segments/segments.js';
import { openSound } from './stages/encode-sound.js';
import { type MuxJob, mux, type RenderedVideo } from './stages/mux.js';

/** Shots and sound to render. */
export interface VideoJob extends Omit<MuxJob, 'segments' | 'audio'>, SegmentOptions {
  /** In order, without gaps: each begins where the one before it ends. */
  readonly shots: ShotSource;
  /** The whole soundtrack from frame 0 on, in one or many pieces. Sound after the last frame is cut off. */
  readonly audio: Pcm | AsyncIterable<Pcm>;
}

/** Renders shots and sound into a file; documents go through `renderDocument`. Throws `RenderError`, `PackError`, `OutputError` or the signal's reason. */
export async function renderVideo(job: VideoJob): Promise<RenderedVideo> {
  const { audio, settings, signal, cache } = job;
  const sound = openSound(audio, settings, { signal, kept: cache?.sounds });
  return mux({ ...job, segments: renderSegments(job.shots, job), audio: sound });
}
