import { parseTransportFeedback, type TransportFeedback } from './transport-feedback.js';

/** RTCP (RFC 3550 section 6, RFC 4585, RFC 5104): the messages that a media sender writes and reads. */

const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const SOURCE_DESCRIPTION = 202;
const GOODBYE = 203;
const TRANSPORT_FEEDBACK = 205;
const PAYLOAD_FEEDBACK = 206;
const REPORT_BLOCK = 24;
/** Seconds from 1900 to 1970. */
const NTP_EPOCH = 2_208_988_800;

/** A receiver's report on one stream. */
export interface ReportBlock {
  readonly ssrc: number;
  /** Share lost since its last report, 0…1. */
  readonly lost: number;
  /** Packets lost since the beginning; duplicates make it negative. */
  readonly totalLost: number;
  /** Extended sequence number. */
  readonly highest: number;
  /** Ticks of the payload's clock. */
  readonly jitter: number;
  /** Middle 32 bits of the last sender report's time; 0 before the first. */
  readonly lastReport: number;
  /** Time since that report arrived, in 1/65536 s. */
  readonly delay: number;
}

/** One message of a compound packet. Other types are skipped. */
export type RtcpMessage =
  | { readonly type: 'report'; readonly from: number; readonly blocks: readonly ReportBlock[] }
  | { readonly type: 'nack'; readonly ssrc: number; readonly sequences: readonly number[] }
  | { readonly type: 'keyframe'; readonly ssrc: number; readonly by: 'pli' | 'fir' }
  | { readonly type: 'transport'; readonly feedback: TransportFeedback }
  | { readonly type: 'goodbye' };

/** The fields of a sender report. */
export interface SenderReport {
  readonly ssrc: number;
  /** Wall clock in ms since 1970. */
  readonly wallMs: number;
  /** The same instant on the stream's clock. */
  readonly timestamp: number;
  readonly packets: number;
  readonly bytes: number;
  readonly cname: string;
}

/** A sender report with its source description, as one compound packet. */
export function writeSenderReport(report: SenderReport): Buffer {
  const name = Buffer.from(report.cname, 'utf8');
  // Chunk: source, type, length, name, and one to four zero bytes up to a word.
  const chunk = 4 + 2 + name.length + (4 - ((2 + name.length) % 4));
  const out = Buffer.alloc(28 + 4 + chunk);
  out[0] = 0x80;
  out[1] = SENDER_REPORT;
  out.writeUInt16BE(6, 2);
  out.writeUInt32BE(report.ssrc >>> 0, 4);
  const { seconds, fraction } = toNtp(report.wallMs);
  out.writeUInt32BE(seconds, 8);
  out.writeUInt32BE(fraction, 12);
  out.writeUInt32BE(report.timestamp >>> 0, 16);
  out.writeUInt32BE(report.packets >>> 0, 20);
  out.writeUInt32BE(report.bytes >>> 0, 24);
  out[28] = 0x81;
  out[29] = SOURCE_DESCRIPTION;
  out.writeUInt16BE(chunk / 4, 30);
  out.writeUInt32BE(report.ssrc >>> 0, 32);
  out[36] = 1;
  out[37] = name.length;
  out.set(name, 38);
  return out;
}

/** A receiver's report about one stream. */
export function writeReceiverReport(from: number, block: ReportBlock): Buffer {
  const out = Buffer.alloc(8 + REPORT_BLOCK);
  out[0] = 0x81;
  out[1] = RECEIVER_REPORT;
  out.writeUInt16BE(7, 2);
  out.writeUInt32BE(from >>> 0, 4);
  out.writeUInt32BE(block.ssrc >>> 0, 8);
  out.writeUInt32BE(block.totalLost & 0xffffff, 12);
  out[12] = Math.min(255, Math.round(block.lost * 256));
  out.writeUInt32BE(block.highest >>> 0, 16);
  out.writeUInt32BE(block.jitter >>> 0, 20);
  out.writeUInt32BE(block.lastReport >>> 0, 24);
  out.writeUInt32BE(block.delay >>> 0, 28);
  return out;
}

/** A request to send packets again (RFC 4585 section 6.2.1). */
export function writeNack(from: number, ssrc: number, sequences: readonly number[]): Buffer {
  const items: { first: number; mask: number }[] = [];
  for (const sequence of sequences) {
    const last = items.at(-1);
    const distance = last ? (sequence - last.first) & 0xffff : 0;
    if (last && distance >= 1 && distance <= 16) last.mask |= 1 << (distance - 1);
    else items.push({ first: sequence, mask: 0 });
  }
  const out = feedbackHeader({ format: 1, type: TRANSPORT_FEEDBACK, from, ssrc, extra: 4 * items.length });
  items.forEach(({ first, mask }, index) => {
    out.writeUInt16BE(first, 12 + 4 * index);
    out.writeUInt16BE(mask, 14 + 4 * index);
  });
  return out;
}

/** A request for a keyframe (RFC 4585 section 6.3.1). */
export function writePictureLoss(from: number, ssrc: number): Buffer {
  return feedbackHeader({ format: 1, type: PAYLOAD_FEEDBACK, from, ssrc, extra: 0 });
}

/** The messages of a compound packet, up to the first malformed one. */
export function parseRtcp(bytes: Uint8Array): RtcpMessage[] {
  const out: RtcpMessage[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = 4 * (1 + view.getUint16(at + 2));
    if (bytes[at]! >> 6 !== 2 || at + length > bytes.length) break;
    const packet = new DataView(bytes.buffer, bytes.byteOffset + at, length);
    const message = parseOne(packet);
    if (message) out.push(...message);
    at += length;
  }
  return out;
}

/** Round trip in ms from a report block that arrived at `wallMs` of the clock that the sender reports were stamped with. */
export function roundTrip(block: ReportBlock, wallMs: number): number | undefined {
  if (block.lastReport === 0) return undefined;
  const { seconds, fraction } = toNtp(wallMs);
  const now = (((seconds & 0xffff) << 16) | (fraction >>> 16)) >>> 0;
  const units = (now - block.lastReport - block.delay) | 0;
  return units < 0 ? 0 : (units * 1000) / 65536;
}

function parseOne(packet: DataView): RtcpMessage[] | undefined {
  const count = packet.getUint8(0) & 31;
  const type = packet.getUint8(1);
  const from = packet.getUint32(4);
  if (type === SENDER_REPORT || type === RECEIVER_REPORT) {
    return [{ type: 'report', from, blocks: reportBlocks(packet, type === SENDER_REPORT ? 28 : 8, count) }];
  }
  if (type === GOODBYE) return [{ type: 'goodbye' }];
  if (packet.byteLength < 12) return undefined;
  const ssrc = packet.getUint32(8);
  if (type === TRANSPORT_FEEDBACK && count === 1) return [{ type: 'nack', ssrc, sequences: nackSequences(packet) }];
  if (type === TRANSPORT_FEEDBACK && count === 15) {
    const feedback = parseTransportFeedback(packet);
    return feedback && [{ type: 'transport', feedback }];
  }
  if (type === PAYLOAD_FEEDBACK && count === 1) return [{ type: 'keyframe', ssrc, by: 'pli' }];
  if (type === PAYLOAD_FEEDBACK && count === 4) return fullIntraRequests(packet);
  return undefined;
}

function reportBlocks(packet: DataView, first: number, count: number): ReportBlock[] {
  const out: ReportBlock[] = [];
  for (let at = first; out.length < count && at + REPORT_BLOCK <= packet.byteLength; at += REPORT_BLOCK) {
    out.push({
      ssrc: packet.getUint32(at),
      lost: packet.getUint8(at + 4) / 256,
      totalLost: (packet.getInt32(at + 4) << 8) >> 8,
      highest: packet.getUint32(at + 8),
      jitter: packet.getUint32(at + 12),
      lastReport: packet.getUint32(at + 16),
      delay: packet.getUint32(at + 20),
    });
  }
  return out;
}

function nackSequences(packet: DataView): number[] {
  const out: number[] = [];
  for (let at = 12; at + 4 <= packet.byteLength; at += 4) {
    const first = packet.getUint16(at);
    const mask = packet.getUint16(at + 2);
    out.push(first);
    for (let bit = 0; bit < 16; bit++) if (mask & (1 << bit)) out.push((first + bit + 1) & 0xffff);
  }
  return out;
}

function fullIntraRequests(packet: DataView): RtcpMessage[] {
  const out: RtcpMessage[] = [];
  for (let at = 12; at + 8 <= packet.byteLength; at += 8) {
    out.push({ type: 'keyframe', ssrc: packet.getUint32(at), by: 'fir' });
  }
  return out;
}

function feedbackHeader(of: { format: number; type: number; from: number; ssrc: number; extra: number }): Buffer {
  const out = Buffer.alloc(12 + of.extra);
  out[0] = 0x80 | of.format;
  out[1] = of.type;
  out.writeUInt16BE(out.length / 4 - 1, 2);
  out.writeUInt32BE(of.from >>> 0, 4);
  out.writeUInt32BE(of.ssrc >>> 0, 8);
  return out;
}

function toNtp(wallMs: number): { seconds: number; fraction: number } {
  const whole = Math.floor(wallMs / 1000);
  const fraction = Math.floor(((wallMs - whole * 1000) / 1000) * 2 ** 32);
  return { seconds: (whole + NTP_EPOCH) >>> 0, fraction: fraction >>> 0 };
}
