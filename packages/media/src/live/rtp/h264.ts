import { splitAnnexB } from '../../encode/codecs/nal.js';
import { MAX_PAYLOAD } from './packet.js';

/** H.264 in RTP, packetization-mode 1 (RFC 6184): single units, STAP-A for small neighbours, FU-A for large units. */

const NAL_SEI = 6;
const NAL_DELIMITER = 9;
const STAP_A = 24;
const FU_A = 28;

/** Payloads of one access unit given as an Annex B byte stream, in sending order; the last one takes the marker. */
export function packetizeH264(accessUnit: Uint8Array, maxPayload = MAX_PAYLOAD): Uint8Array[] {
  const out: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  let smallBytes = 1;
  const flush = (): void => {
    if (small.length === 1) out.push(small[0]!);
    else if (small.length > 1) out.push(aggregate(small, smallBytes));
    small = [];
    smallBytes = 1;
  };
  for (const unit of splitAnnexB(accessUnit)) {
    const type = unit[0]! & 31;
    // Decoders need neither: the marker ends the picture, and x264's SEI is its signature.
    if (type === NAL_SEI || type === NAL_DELIMITER) continue;
    if (smallBytes + 2 + unit.length > maxPayload) flush();
    if (unit.length > maxPayload) {
      fragment(unit, maxPayload, out);
      continue;
    }
    small.push(unit);
    smallBytes += 2 + unit.length;
  }
  flush();
  return out;
}

function aggregate(units: readonly Uint8Array[], bytes: number): Uint8Array {
  const out = new Uint8Array(bytes);
  let importance = 0;
  let at = 1;
  for (const unit of units) {
    importance = Math.max(importance, unit[0]! & 0x60);
    out[at] = unit.length >> 8;
    out[at + 1] = unit.length & 255;
    out.set(unit, at + 2);
    at += 2 + unit.length;
  }
  out[0] = importance | STAP_A;
  return out;
}

function fragment(unit: Uint8Array, maxPayload: number, out: Uint8Array[]): void {
  const body = unit.length - 1;
  const count = Math.ceil(body / (maxPayload - 2));
  // Equal parts: a tiny last packet costs as much as a full one.
  const size = Math.ceil(body / count);
  for (let from = 0; from < body; from += size) {
    const to = Math.min(body, from + size);
    const part = new Uint8Array(2 + to - from);
    part[0] = (unit[0]! & 0xe0) | FU_A;
    part[1] = (unit[0]! & 31) | (from === 0 ? 0x80 : 0) | (to === body ? 0x40 : 0);
    part.set(unit.subarray(1 + from, 1 + to), 2);
    out.push(part);
  }
}
