import type { YuvaFrame, YuvFrame } from '@figurehead/presenter/frame';
import { avc, Encoder } from '../av.js';
import type { EncodedPacket, EncodedSegment, SegmentEncoder, VideoSettings } from '../contract.js';
import { prepareVideo, segmentEncoder } from './coded-frames.js';

/** libvpx's quality scale ends at 63, x264's at 51. */
const CRF_SCALE = 1.45;

/** Errors in the transparency show as fringes, so it is encoded a little better than the colours. */
const ALPHA_CRF = 18;

const SPEEDS = { veryfast: '5', fast: '3' } as const;

/**
 * A complete VP9 frame that shows the picture in slot 0 again (bitstream guide, `show_existing_frame`, profile 0). A
 * keyframe fills all slots.
 */
const SHOW_AGAIN = Uint8Array.of(0x88);

/**
 * Opens libvpx for VP9 (one thread, closed GOPs, BT.709 limited); there is no extradata. With `settings.alpha` a second
 * encoder encodes the transparency, and a packet contains both: see {@link splitAlpha}.
 */
export function openVp9Encoder(settings: VideoSettings): SegmentEncoder {
  const colours = segmentEncoder(streamOf(settings, 'colours'), settings);
  if (settings.alpha !== true) return colours;
  const alpha = segmentEncoder(streamOf(settings, 'alpha'), settings);
  return {
    extradata: colours.extradata,
    encode(frame) {
      // Without look-ahead each encoder returns one packet per frame.
      return pairs(colours.encode(frame), alpha.encode(alphaAsLuma(frame)));
    },
    finish: () => pairs(colours.finish(), alpha.finish()),
    close() {
      colours.close();
      alpha.close();
    },
  };
}

/** A segment that shows one picture: one keyframe per GOP, followed by one-byte frames that show it again. */
export function encodeVp9Still(frame: YuvFrame | YuvaFrame, frames: number, settings: VideoSettings): EncodedSegment {
  const encoder = openVp9Encoder(settings);
  try {
    const [first] = [...encoder.encode(frame), ...encoder.finish()];
    if (!first) throw new Error('libvpx gave no packet for a still picture');
    const again = settings.alpha === true ? joinAlpha(SHOW_AGAIN, SHOW_AGAIN) : SHOW_AGAIN;
    const packets = Array.from({ length: frames }, (_, index): EncodedPacket => {
      const keyframe = index % settings.gopFrames === 0;
      return { data: keyframe ? first.data : again, pts: index, dts: index, duration: 1, keyframe };
    });
    return { frames, extradata: encoder.extradata, packets };
  } finally {
    encoder.close();
  }
}

/** The frames of colours and transparency in a packet of a transparent video, as views. */
export function splitAlpha(data: Uint8Array): { colours: Uint8Array; alpha: Uint8Array } {
  const length = new DataView(data.buffer, data.byteOffset).getUint32(0);
  return { colours: data.subarray(4, 4 + length), alpha: data.subarray(4 + length) };
}

/** Both frames in one packet: the length of the first in four bytes, then the first and the second. */
function joinAlpha(colours: Uint8Array, alpha: Uint8Array): Uint8Array {
  const out = new Uint8Array(4 + colours.length + alpha.length);
  new DataView(out.buffer).setUint32(0, colours.length);
  out.set(colours, 4);
  out.set(alpha, 4 + colours.length);
  return out;
}

function pairs(colours: readonly EncodedPacket[], alpha: readonly EncodedPacket[]): EncodedPacket[] {
  if (colours.length !== alpha.length) throw new Error('expected as much transparency as colour from libvpx');
  return colours.map((packet, index) => ({ ...packet, data: joinAlpha(packet.data, alpha[index]!.data) }));
}

function streamOf(settings: VideoSettings, what: 'colours' | 'alpha') {
  const encoder = Encoder.open({
    codec: 'libvpx-vp9',
    prepare(context) {
      prepareVideo(context, settings);
      context.bitRate = 0n;
      // Alpha uses all 256 values, and players expect the full range.
      if (what === 'alpha') context.colorRange = avc.AVCOL_RANGE_JPEG;
    },
    options: {
      crf: String(what === 'alpha' ? ALPHA_CRF : Math.min(63, Math.round(settings.crf * CRF_SCALE))),
      deadline: 'good',
      'cpu-used': SPEEDS[settings.preset],
      'row-mt': '0',
      ...(settings.alpha === true
        ? { 'lag-in-frames': '0', 'auto-alt-ref': '0' }
        : { 'lag-in-frames': '16', 'auto-alt-ref': '1' }),
    },
  });
  return { encoder, extradata: new Uint8Array(0), reorderFrames: 0, sample: (data: Uint8Array) => data };
}

/** The transparency as a grey picture. */
function alphaAsLuma(frame: YuvFrame | YuvaFrame): YuvFrame {
  if (!('a' in frame)) throw new TypeError('expected a frame with transparency');
  const grey = new Uint8Array(frame.u.length).fill(128);
  return { ...frame, y: frame.a, u: grey, v: grey };
}
