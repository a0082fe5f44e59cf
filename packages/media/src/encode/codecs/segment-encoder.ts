import type { Codec } from '@figurehead/contract/document';
import type { YuvaFrame, YuvFrame } from '@figurehead/presenter/frame';
import type { EncodedSegment, SegmentEncoder, VideoSettings } from '../contract.js';
import { openAv1Encoder } from './av1.js';
import { repeatGop } from './coded-frames.js';
import { encodeH264Still, openH264Encoder } from './h264.js';
import { openHevcEncoder } from './hevc.js';
import { openNvencEncoder } from './nvenc.js';
import { encodeVp9Still, openVp9Encoder } from './vp9.js';

/** How a codec encodes a run of frames, and a still. */
interface CodecImplementation {
  open(settings: VideoSettings): SegmentEncoder;
  still(frame: YuvFrame | YuvaFrame, frames: number, settings: VideoSettings): EncodedSegment;
}

/** A codec whose stills repeat an encoded GOP. */
function repeating(open: CodecImplementation['open']): CodecImplementation {
  return { open, still: (frame, frames, settings) => repeatGop(frame, frames, settings, open) };
}

const NVENC = repeating(openNvencEncoder);

/** The implementation for each codec of the table. */
export const IMPLEMENTATIONS: Readonly<Record<Codec, CodecImplementation>> = {
  h264: { open: openH264Encoder, still: encodeH264Still },
  h265: repeating(openHevcEncoder),
  vp9: { open: openVp9Encoder, still: encodeVp9Still },
  av1: repeating(openAv1Encoder),
};

function implementationOf({ codec = 'h264', nvenc }: VideoSettings): CodecImplementation {
  return codec === 'h264' && nvenc === true ? NVENC : IMPLEMENTATIONS[codec];
}

/**
 * Opens the encoder of the settings on the calling thread. Equal settings and frames give equal bytes (on a
 * graphics card: on the same one), and every segment starts with a keyframe, so that any number of segments can be
 * joined. Throws `AvError` on settings that the codec refuses.
 */
export function openSegmentEncoder(settings: VideoSettings): SegmentEncoder {
  return implementationOf(settings).open(settings);
}

/** A segment that shows one picture for `frames` frames, far cheaper than encoding each of them. */
export function encodeStill(frame: YuvFrame | YuvaFrame, frames: number, settings: VideoSettings): EncodedSegment {
  return implementationOf(settings).still(frame, frames, settings);
}
