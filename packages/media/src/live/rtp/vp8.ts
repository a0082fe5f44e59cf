import { MAX_PAYLOAD } from './packet.js';

/** X and S bits of the first octet of the payload descriptor (RFC 7741 section 4.2). */
const EXTENDED = 0x80;
const START_OF_PARTITION = 0x10;
/** I bit: a PictureID follows; its M bit: it has 15 bits. */
const HAS_PICTURE_ID = 0x80;
const DESCRIPTOR = 4;

/** PictureIDs count modulo this. */
export const PICTURE_IDS = 1 << 15;

/**
 * Payloads of one VP8 frame, in sending order. `pictureId` must grow by one per frame for the whole session, across
 * encoders: Chromium waits for the frames of a gap.
 */
export function packetizeVp8(frame: Uint8Array, pictureId: number, maxPayload = MAX_PAYLOAD): Uint8Array[] {
  const room = maxPayload - DESCRIPTOR;
  const size = Math.ceil(frame.length / Math.max(1, Math.ceil(frame.length / room)));
  const out: Uint8Array[] = [];
  for (let from = 0; from < frame.length; from += size) {
    const part = frame.subarray(from, from + size);
    const payload = new Uint8Array(DESCRIPTOR + part.length);
    payload[0] = EXTENDED | (from === 0 ? START_OF_PARTITION : 0);
    payload[1] = HAS_PICTURE_ID;
    payload[2] = 0x80 | ((pictureId >> 8) & 0x7f);
    payload[3] = pictureId & 255;
    payload.set(part, DESCRIPTOR);
    out.push(payload);
  }
  return out;
}
