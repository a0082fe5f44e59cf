import type { ChapterMark, Cue, EncodedSegment, SoundStream, VideoSettings } from '../contract.js';

/** Contents of a finished file apart from its pictures. */
export interface OutputOptions extends Pick<VideoSettings, 'width' | 'height' | 'fps' | 'codec' | 'alpha'> {
  /** The soundtrack; closed by the writer. Absent: a silent file without a sound track. */
  readonly audio?: SoundStream;
  /** Written as a subtitle track that players offer and leave off by default. */
  readonly cues?: readonly Cue[];
  readonly chapters?: readonly ChapterMark[];
  /** Language of the sound and the texts, BCP 47 or an English name; undetermined when absent. */
  readonly language?: string | undefined;
  /** Adds a tag to a WebM file that a machine made it. */
  readonly isSynthetic?: boolean;
}

/** Writes a file of pictures and sound. Exactly one of `finish` and `discard` ends it. */
export interface OutputWriter {
  /** Appends the next segment's frames and the sound that belongs to them. Throws `OutputError`. */
  write(segment: EncodedSegment): Promise<void>;
  /** Writes the index and moves the complete file to its place. Throws `OutputError`; then no file remains. */
  finish(): Promise<void>;
  /** Removes everything written. Idempotent, harmless after `finish`. */
  discard(): Promise<void>;
}

/**
 * Checks that a segment can be appended to a file whose codec headers are `extradata`.
 * @throws Error when its encoder had other settings, or its packets are not one per frame.
 */
export function assertFollows(extradata: Uint8Array, segment: EncodedSegment): void {
  if (Buffer.compare(extradata, segment.extradata) !== 0) {
    throw new Error('expected segments from encoders with the same settings, got different headers');
  }
  if (segment.packets.length !== segment.frames) {
    throw new Error(`expected ${segment.frames} packets for as many frames, got ${segment.packets.length}`);
  }
}
