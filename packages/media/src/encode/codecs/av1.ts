import { leaveRealTime } from '../../priority.js';
import { Encoder } from '../av.js';
import type { SegmentEncoder, VideoSettings } from '../contract.js';
import { prepareVideo, segmentEncoder } from './coded-frames.js';
import { BitReader } from './nal.js';

/** SVT-AV1's quality scale ends at 63, x264's at 51. */
const CRF_SCALE = 1.5;

const SPEEDS = { veryfast: '10', fast: '8' } as const;

const SEQUENCE_HEADER = 1;
const TEMPORAL_DELIMITER = 2;

/**
 * Opens SVT-AV1 (one thread, Main profile, closed GOPs, BT.709 limited). The extradata is an `av1C` record, packets are
 * temporal units without their delimiters, as containers require.
 */
export function openAv1Encoder(settings: VideoSettings): SegmentEncoder {
  quietSvt();
  const encoder = Encoder.open({
    codec: 'libsvtav1',
    prepare: (context) => prepareVideo(context, settings),
    options: {
      preset: SPEEDS[settings.preset],
      crf: String(Math.min(63, Math.round(settings.crf * CRF_SCALE))),
      // Its own threads would compete with ours; scene detection would move keyframes.
      'svtav1-params': 'lp=1:scd=0:enable-overlays=0',
    },
  });
  leaveRealTime();
  const extradata = av1Config(encoder.extradata);
  return segmentEncoder({ encoder, extradata, reorderFrames: 0, sample: withoutDelimiter }, settings);
}

/**
 * Keeps SVT-AV1 off standard error. It reads the environment of the process, not a thread's `process.env`: call this
 * before starting threads that encode AV1.
 */
export function quietSvt(): void {
  process.env.SVT_LOG = '0';
}

function typeOf(header: number): number {
  return (header >> 3) & 15;
}

/** Removes the delimiter, two bytes at the start of a unit. */
function withoutDelimiter(unit: Uint8Array): Uint8Array {
  return typeOf(unit[0]!) === TEMPORAL_DELIMITER ? unit.slice(2) : unit;
}

/** The `av1C` record (AV1 codec ISO media file format binding, clause 2.3.3) around a sequence header unit. */
function av1Config(unit: Uint8Array): Uint8Array {
  if (unit.length < 4 || typeOf(unit[0]!) !== SEQUENCE_HEADER) {
    throw new Error('expected a sequence header from SVT-AV1');
  }
  // Header byte, then its length in one byte (sequence headers are short), then the sequence header (AV1 clause 5.5).
  const bits = new BitReader(unit.subarray(2));
  const profile = bits.bits(3);
  bits.bits(1); // still_picture
  const isReduced = bits.bits(1) === 1;
  let level = 0;
  let tier = 0;
  if (isReduced) level = bits.bits(5);
  else {
    if (bits.bits(1) === 1) throw new Error('expected a sequence header without timing information');
    bits.bits(1); // initial_display_delay_present_flag
    bits.bits(5); // operating_points_cnt_minus_1
    bits.bits(12); // operating_point_idc[0]
    level = bits.bits(5);
    if (level > 7) tier = bits.bits(1);
  }
  // 8 bits, 4:2:0, unknown chroma position.
  return Uint8Array.from([0x81, (profile << 5) | level, (tier << 7) | 0x0c, 0, ...unit]);
}
