import { allocateYuv } from '@figurehead/presenter/frame';
import { Encoder } from '../av.js';
import type { SegmentEncoder, VideoSettings } from '../contract.js';
import { prepareVideo, segmentEncoder } from './coded-frames.js';
import { formatAvcConfig, joinSample, splitAnnexB } from './nal.js';

const NAL_SEI = 6;
const NAL_SPS = 7;
const NAL_PPS = 8;
const NAL_DELIMITER = 9;

/** At the same value NVENC preserves less than x264. */
const CQ_SHIFT = 1;

const PRESETS = { veryfast: 'p4', fast: 'p6' } as const;

/** The end of a High profile record (ISO/IEC 14496-15 clause 5.3.3.1.2): 4:2:0 in 8 bits, no extensions. */
const HIGH_TAIL = Uint8Array.of(0xfd, 0xf8, 0xf8, 0);

/**
 * Opens H.264 on an NVIDIA graphics card (High profile, closed GOPs without B-frames, BT.709 limited). Extradata and
 * packets have the format of x264's, but the two cannot be joined. Throws on a machine without such a card; check
 * {@link findNvenc} first.
 */
export function openNvencEncoder(settings: VideoSettings): SegmentEncoder {
  const encoder = Encoder.open({
    codec: 'h264_nvenc',
    prepare(context) {
      prepareVideo(context, settings);
      context.maxBFrames = 0;
    },
    options: {
      preset: PRESETS[settings.preset],
      profile: 'high',
      rc: 'vbr',
      cq: String(Math.min(51, settings.crf + CQ_SHIFT)),
      'no-scenecut': '1',
      'forced-idr': '1',
      strict_gop: '1',
    },
  });
  const units = splitAnnexB(encoder.extradata);
  const ofType = (type: number): Uint8Array[] => units.filter((unit) => (unit[0]! & 31) === type);
  const extradata = formatAvcConfig({ sps: ofType(NAL_SPS), pps: ofType(NAL_PPS), tail: HIGH_TAIL });
  const left = [NAL_SEI, NAL_SPS, NAL_PPS, NAL_DELIMITER];
  const sample = (data: Uint8Array): Uint8Array =>
    joinSample(splitAnnexB(data).filter((unit) => !left.includes(unit[0]! & 31)));
  return segmentEncoder({ encoder, extradata, reorderFrames: 0, sample }, settings);
}

/**
 * Tries to encode a picture on the graphics card, which tests drivers, card and a free session at once. Returns the
 * reason when it fails.
 * @param open for tests.
 */
export function findNvenc(
  open: (settings: VideoSettings) => SegmentEncoder = openNvencEncoder,
): { readonly found: true } | { readonly found: false; readonly reason: string } {
  const settings = { width: 256, height: 144, fps: 25, preset: 'veryfast', crf: 23, gopFrames: 25 } as const;
  try {
    const encoder = open(settings);
    try {
      const frame = allocateYuv(settings.width, settings.height);
      const packets = [...encoder.encode(frame), ...encoder.finish()];
      return packets.length === 1
        ? { found: true }
        : { found: false, reason: 'expected a packet from NVENC, got none' };
    } finally {
      encoder.close();
    }
  } catch (error) {
    return { found: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
