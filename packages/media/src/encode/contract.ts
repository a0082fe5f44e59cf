import type { YuvFrame } from '../frame.js';
import type { VideoFormat } from '../scene/contract.js';

/** x264 presets on offer; `veryfast` is the default. */
export type EncodePreset = 'veryfast' | 'fast';

/** What an H.264 segment encoder is opened with. Two encoders with equal settings emit identical extradata. */
export interface VideoSettings extends VideoFormat {
  readonly preset: EncodePreset;
  /** Constant rate factor, 0…51; lower is better. */
  readonly crf: number;
  /** Frames a closed GOP lasts; segments start on a keyframe and are a whole number of GOPs except the last. */
  readonly gopFrames: number;
}

/** One compressed access unit. `pts`, `dts` and `duration` count in the stream's own time base: frames for video, samples for audio. */
export interface EncodedPacket {
  readonly data: Uint8Array;
  readonly pts: number;
  readonly dts: number;
  readonly duration: number;
  readonly keyframe: boolean;
}

/** A run of frames encoded on its own. Packets are in decoding order, their times relative to the segment's first frame. */
export interface EncodedSegment {
  readonly frames: number;
  readonly extradata: Uint8Array;
  readonly packets: readonly EncodedPacket[];
}

/** A line of subtitles; times in seconds from the start of the video. */
export interface Cue {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly words: readonly { readonly text: string; readonly start: number; readonly end: number }[];
}

/** A chapter of the finished file. */
export interface Chapter {
  readonly start: number;
  readonly end: number;
  readonly title: string;
}

/** Encodes frames one at a time. Who opens it closes it; after an error it can only be closed. */
export interface SegmentEncoder {
  readonly extradata: Uint8Array;
  /** Copies the frame's planes; returns packets that became ready. */
  encode(frame: YuvFrame): EncodedPacket[];
  /** Ends the segment and returns the remaining packets. */
  finish(): EncodedPacket[];
  close(): void;
}
