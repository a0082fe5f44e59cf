import type { YuvaFrame, YuvFrame } from '../../frame.js';
import type { EncodedSegment, SegmentEncoder, VideoSettings } from '../contract.js';
import { encodeAv1Still, openAv1Encoder } from './av1.js';
import { encodeH264Still, openH264Encoder } from './h264.js';
import { encodeHevcStill, openHevcEncoder } from './hevc.js';
import { encodeNvencStill, openNvencEncoder } from './nvenc.js';
import { encodeVp9Still, openVp9Encoder } from './vp9.js';

/**
 * Opens the encoder that the settings name, on the calling thread. Equal settings and frames give equal bytes (on a
 * graphics card: on the same one), and every segment begins with a keyframe, so that segments join in any number.
 * Throws `AvError` on settings that the codec refuses.
 */
export function openSegmentEncoder(settings: VideoSettings): SegmentEncoder {
  switch (settings.codec ?? 'h264') {
    case 'h264':
      return settings.nvenc === true ? openNvencEncoder(settings) : openH264Encoder(settings);
    case 'h265':
      return openHevcEncoder(settings);
    case 'vp9':
      return openVp9Encoder(settings);
    case 'av1':
      return openAv1Encoder(settings);
  }
}

/** A segment that shows one picture for `frames` frames, far cheaper than encoding each of them. */
export function encodeStill(frame: YuvFrame | YuvaFrame, frames: number, settings: VideoSettings): EncodedSegment {
  switch (settings.codec ?? 'h264') {
    case 'h264':
      return settings.nvenc === true
        ? encodeNvencStill(frame, frames, settings)
        : encodeH264Still(frame, frames, settings);
    case 'h265':
      return encodeHevcStill(frame, frames, settings);
    case 'vp9':
      return encodeVp9Still(frame, frames, settings);
    case 'av1':
      return encodeAv1Still(frame, frames, settings);
  }
}
