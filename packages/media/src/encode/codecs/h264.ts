import { existsSync, readFileSync } from 'node:fs';
import type { YuvFrame } from '@figurehead/presenter/frame';
import { AvPicture, Encoder } from '../av.js';
import type { EncodedPacket, EncodedSegment, SegmentEncoder, VideoSettings } from '../contract.js';
import { prepareVideo, segmentEncoder } from './coded-frames.js';
import { BitWriter, escapeNal, formatAvcConfig, joinSample, parseAvcConfig, parseSps, splitSample } from './nal.js';

/**
 * Frames by which decoding runs ahead of presentation in every segment: B-frames with one level of pyramid. Decoding
 * times are numbered by this, not taken from x264, so that segments of any length join without a gap.
 */
export const REORDER_FRAMES = 2;

/** Stills get this much less quantisation: no later frame of the GOP refines them, and they are visible longest. */
const STILL_CRF_BONUS = 4;

/**
 * Look-ahead of x264 in frames, each about 6 MB at 1080p. The preset `fast` has 30 and took 437 MB per drawing thread;
 * with 14 it takes 323 MB, at 1.3 dB (of 52.9) less quality and 10 % fewer bytes. `veryfast` keeps its default of 10.
 */
const LOOKAHEAD = { veryfast: 10, fast: 14 } as const;

/**
 * Difference of the quantiser of calm segments from the constant rate factor, and quantiser steps by which keyframes
 * are better, in x264's units. With a static background, half of x264's time is spent in look-ahead rate control that
 * finds no changes. These values halve the time: on a plain background with 1.04 of the bytes, the same quality of the
 * person and 3 dB more elsewhere; on a photograph with 0.68 of the bytes and 0.6 dB (of 46) less. Five B-frames save 4 % of the bytes; they, the smaller
 * search and no search for parts of B-macroblocks a tenth of the time, at the same quality of the person. The dead zone of intra blocks is the widest
 * that keeps the pattern of half a luma step in a dark gradient (scene/objects/gradient-dither.ts), for 1.03 of the bytes.
 */
const CALM = {
  quantiserAboveCrf: 1,
  keyframeRatio: 1.2,
  search: 'bframes=5:me=dia:partitions=p8x8,i8x8,i4x4:deadzone-intra=6',
} as const;

const NAL_SEI = 6;
const NAL_PARAMETER_SETS = [7, 8];

/**
 * Opens x264 (one thread, High profile, closed GOPs of exactly `gopFrames`, BT.709 limited). The extradata is an `avcC`
 * record, packets are samples with four-byte unit lengths, ready for MP4. Equal settings and frames give equal bytes.
 * Frames must have the settings' size. Throws `AvError` on settings that x264 refuses.
 */
export function openH264Encoder(settings: VideoSettings): SegmentEncoder {
  // `fast` is requested when bytes matter more than time.
  const isCalm = settings.calm === true && settings.preset === 'veryfast';
  const encoder = isCalm ? openCalm(settings) : openSteered(settings, settings.crf);
  const extradata = addSkipSet(encoder.extradata);
  return segmentEncoder({ encoder, extradata, reorderFrames: REORDER_FRAMES, sample: withoutHeaders }, settings);
}

/**
 * A segment that shows one picture for `frames` frames: it is encoded once per segment, and every further frame is a
 * P-slice of some twenty bytes that skips all macroblocks, so a still of any length costs one frame. All decoded frames
 * are identical to the first. Can be joined with segments of {@link openH264Encoder} of the same settings.
 */
export function encodeH264Still(frame: YuvFrame, frames: number, settings: VideoSettings): EncodedSegment {
  const encoder = openSteered(settings, Math.max(0, settings.crf - STILL_CRF_BONUS));
  const picture = new AvPicture(settings.width, settings.height);
  try {
    picture.fill(frame);
    picture.frame.pts = 0n;
    const [first] = [...encoder.sendSync(picture.frame), ...encoder.sendSync(null)];
    if (!first) throw new Error('x264 gave no packet for a still picture');
    const extradata = encoder.extradata;
    const sps = parseSps(parseAvcConfig(extradata).sps[0]!);
    const intra = withoutHeaders(first.data);
    const packets = Array.from({ length: frames }, (_, index): EncodedPacket => {
      const inGop = index % settings.gopFrames;
      return {
        data: inGop === 0 ? intra : joinSample([skipSlice(inGop, sps)]),
        pts: index,
        dts: index - REORDER_FRAMES,
        duration: 1,
        keyframe: inGop === 0,
      };
    });
    return { frames, extradata: addSkipSet(extradata), packets };
  } finally {
    encoder.close();
    picture.close();
  }
}

/** Constant quality, by rate control with look-ahead. */
function openSteered(settings: VideoSettings, crf: number): Encoder {
  const { preset, width } = settings;
  const asm = misreadsRows(width) ? ':asm=AVX2' : '';
  return openX264(settings, { crf: String(crf) }, `rc-lookahead=${LOOKAHEAD[preset]}${asm}`);
}

/**
 * True where x264's look-ahead reads past the end of its rows: with AVX-512, unless a row is a whole number of groups of eight macroblocks. Equal
 * frames then sometimes give other bytes. AVX2 always gives those that AVX-512 mostly gives, in 3 % more time.
 */
function misreadsRows(width: number): boolean {
  return Math.ceil(width / 16) % 8 !== 0 && hasAvx512();
}

/** Of Linux, where a hardened service may not see it; elsewhere AVX-512 stays unknown. */
const CPU_INFO = '/proc/cpuinfo';

let avx512: boolean | undefined;
function hasAvx512(): boolean {
  avx512 ??= existsSync(CPU_INFO) && /\bavx512bw\b/.test(readFileSync(CPU_INFO, 'utf8'));
  return avx512;
}

/** A constant quantiser and a constant number of B-frames: nothing is decided by look-ahead. */
function openCalm(settings: VideoSettings): Encoder {
  const qp = String(Math.min(51, settings.crf + CALM.quantiserAboveCrf));
  return openX264(settings, { qp }, `rc-lookahead=0:mbtree=0:b-adapt=0:ipratio=${CALM.keyframeRatio}:${CALM.search}`);
}

function openX264(settings: VideoSettings, quality: Record<string, string>, control: string): Encoder {
  const { preset, gopFrames } = settings;
  const gop = `scenecut=0:keyint=${gopFrames}:min-keyint=${gopFrames}:bframes=3:b-pyramid=normal`;
  return Encoder.open({
    codec: 'libx264',
    prepare: (context) => prepareVideo(context, settings),
    options: {
      preset,
      profile: 'high',
      ...quality,
      // `stitchable` keeps rate control out of the headers, so that stills of another quality share them. Weighted prediction is also in them.
      'x264-params': `annexb=0:stitchable=1:${gop}:${preset === 'veryfast' ? 'weightp=0:' : ''}${control}`,
    },
  });
}

/**
 * x264 writes its version into the first packet of each segment and may repeat headers there; the file contains them
 * once.
 */
function withoutHeaders(sample: Uint8Array): Uint8Array {
  const units = splitSample(sample);
  const kept = units.filter((unit) => {
    const type = unit[0]! & 31;
    return type !== NAL_SEI && !NAL_PARAMETER_SETS.includes(type);
  });
  return kept.length === units.length ? sample : joinSample(kept);
}

/** Adds the picture parameter set (number 1: CAVLC, no weights) that {@link skipSlice} refers to. */
function addSkipSet(record: Uint8Array): Uint8Array {
  const config = parseAvcConfig(record);
  const set = new BitWriter()
    .ue(1) // pic_parameter_set_id
    .ue(0) // seq_parameter_set_id
    .bits(0, 1) // entropy_coding_mode_flag: CAVLC, where a run of skipped macroblocks is one number
    .bits(0, 1) // bottom_field_pic_order_in_frame_present_flag
    .ue(0) // num_slice_groups_minus1
    .ue(0) // num_ref_idx_l0_default_active_minus1
    .ue(0) // num_ref_idx_l1_default_active_minus1
    .bits(0, 1) // weighted_pred_flag
    .bits(0, 2) // weighted_bipred_idc
    .ue(0) // pic_init_qp_minus26
    .ue(0) // pic_init_qs_minus26
    .ue(0) // chroma_qp_index_offset
    .bits(1, 1) // deblocking_filter_control_present_flag
    .bits(0, 1) // constrained_intra_pred_flag
    .bits(0, 1) // redundant_pic_cnt_present_flag
    .finish();
  return formatAvcConfig({ ...config, pps: [...config.pps, Uint8Array.from([0x68, ...escapeNal(set)])] });
}

/** The P-slice of frame `number` of its GOP (14496-10 clause 7.3.3) that repeats the previous picture. */
function skipSlice(number: number, sps: { frameNumBits: number; pocBits: number; macroblocks: number }): Uint8Array {
  const payload = new BitWriter()
    .ue(0) // first_mb_in_slice
    .ue(5) // slice_type: P, and so is the whole picture
    .ue(1) // pic_parameter_set_id
    .bits(number % 2 ** sps.frameNumBits, sps.frameNumBits)
    .bits((2 * number) % 2 ** sps.pocBits, sps.pocBits)
    .bits(0, 1) // num_ref_idx_active_override_flag
    .bits(0, 1) // ref_pic_list_modification_flag_l0
    .bits(0, 1) // adaptive_ref_pic_marking_mode_flag
    .ue(0) // slice_qp_delta
    .ue(1) // disable_deblocking_filter_idc
    .ue(sps.macroblocks) // mb_skip_run
    .finish();
  return Uint8Array.from([0x41, ...escapeNal(payload)]);
}
