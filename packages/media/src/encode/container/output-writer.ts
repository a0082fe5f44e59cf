import type { Chapter, Cue, EncodedSegment, SoundStream, VideoSettings } from '../contract.js';

/** What a finished file is made of, beside its pictures. */
export interface OutputOptions extends Pick<VideoSettings, 'width' | 'height' | 'fps' | 'codec' | 'alpha'> {
  /** The soundtrack; closed by the writer. None: a silent file without a sound track. */
  readonly audio?: SoundStream;
  /** Become a subtitle track that players offer and leave off at first. */
  readonly cues?: readonly Cue[];
  readonly chapters?: readonly Chapter[];
}

/** Writes a file of pictures and sound. Exactly one of `finish` and `discard` ends it. */
export interface OutputWriter {
  /** Appends the next segment's frames and the sound that belongs to them. Throws `OutputError`. */
  write(segment: EncodedSegment): Promise<void>;
  /** Writes the index and moves the file to its place; then it is complete on disk. Throws `OutputError`; nothing is left behind then. */
  finish(): Promise<{ frames: number; bytes: number }>;
  /** Removes what has been written. Idempotent, harmless after `finish`. */
  discard(): Promise<void>;
}
