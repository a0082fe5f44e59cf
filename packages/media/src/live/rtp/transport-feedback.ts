/** Transport-wide congestion feedback (draft-holmer-rmcat-transport-wide-cc-extensions-01, section 3.1). */

/** Arrival times are reported in steps of this many ms. */
const TICK_MS = 0.25;
const REFERENCE_MS = 64;
const HEADER = 20;

/** Arrival or loss of one packet. */
export interface PacketArrival {
  /** Transport-wide sequence number, 16 bits. */
  readonly sequence: number;
  /** ms on the receiver's clock; `undefined` when it did not arrive. */
  readonly atMs: number | undefined;
}

/** One feedback message. */
export interface TransportFeedback {
  /** Counts messages, 8 bits. */
  readonly count: number;
  readonly arrivals: readonly PacketArrival[];
}

/** Reads a whole RTCP packet of type 205, format 15; `undefined` when it is shorter than it claims. */
export function parseTransportFeedback(packet: DataView): TransportFeedback | undefined {
  if (packet.byteLength < HEADER) return undefined;
  const base = packet.getUint16(12);
  const total = packet.getUint16(14);
  const referenceMs = (packet.getInt32(16) >> 8) * REFERENCE_MS;
  const statuses = readStatuses(packet, total);
  if (!statuses) return undefined;
  let { at } = statuses;
  let clock = referenceMs;
  const arrivals: PacketArrival[] = [];
  for (const [index, status] of statuses.symbols.entries()) {
    const sequence = (base + index) & 0xffff;
    if (status !== 1 && status !== 2) {
      arrivals.push({ sequence, atMs: undefined });
      continue;
    }
    if (at + status > packet.byteLength) return undefined;
    clock += (status === 1 ? packet.getUint8(at) : packet.getInt16(at)) * TICK_MS;
    at += status;
    arrivals.push({ sequence, atMs: clock });
  }
  return { count: packet.getUint8(19), arrivals };
}

/** A feedback message as bytes; times are rounded to 0.25 ms and must be within 8 s of one another. */
export function writeTransportFeedback(from: number, ssrc: number, feedback: TransportFeedback): Buffer {
  const first = feedback.arrivals.find((arrival) => arrival.atMs !== undefined);
  const reference = Math.floor((first?.atMs ?? 0) / REFERENCE_MS);
  let clock = reference * REFERENCE_MS;
  const deltas: Buffer[] = [];
  const symbols = feedback.arrivals.map(({ atMs }) => {
    if (atMs === undefined) return 0;
    const ticks = Math.round((atMs - clock) / TICK_MS);
    clock += ticks * TICK_MS;
    const isSmall = ticks >= 0 && ticks <= 255;
    const delta = Buffer.alloc(isSmall ? 1 : 2);
    if (isSmall) delta[0] = ticks;
    else delta.writeInt16BE(ticks);
    deltas.push(delta);
    return isSmall ? 1 : 2;
  });
  const chunks = Buffer.alloc(2 * Math.ceil(symbols.length / 7));
  for (let index = 0; index < symbols.length; index += 7) {
    let word = 0xc000;
    symbols.slice(index, index + 7).forEach((symbol, slot) => {
      word |= symbol << (12 - 2 * slot);
    });
    chunks.writeUInt16BE(word, (2 * index) / 7);
  }
  const body = Buffer.concat([chunks, ...deltas]);
  const out = Buffer.alloc(HEADER + 4 * Math.ceil(body.length / 4));
  out[0] = 0x8f;
  out[1] = 205;
  out.writeUInt16BE(out.length / 4 - 1, 2);
  out.writeUInt32BE(from >>> 0, 4);
  out.writeUInt32BE(ssrc >>> 0, 8);
  out.writeUInt16BE(feedback.arrivals[0]?.sequence ?? 0, 12);
  out.writeUInt16BE(feedback.arrivals.length, 14);
  out.writeInt32BE(reference << 8, 16);
  out[19] = feedback.count & 255;
  body.copy(out, HEADER);
  return out;
}

/** Status symbols (0 lost, 1 small delta, 2 large delta), and the offset of the deltas. */
function readStatuses(packet: DataView, total: number): { symbols: number[]; at: number } | undefined {
  const symbols: number[] = [];
  let at = HEADER;
  while (symbols.length < total) {
    if (at + 2 > packet.byteLength) return undefined;
    const chunk = packet.getUint16(at);
    at += 2;
    if ((chunk & 0x8000) === 0) {
      const run = Math.min(chunk & 0x1fff, total - symbols.length);
      for (let n = 0; n < run; n++) symbols.push((chunk >> 13) & 3);
      // A run of length zero would loop forever.
      if (run === 0) return undefined;
      continue;
    }
    const isWide = (chunk & 0x4000) !== 0;
    const [slots, bits] = isWide ? [7, 2] : [14, 1];
    for (let slot = 0; slot < slots && symbols.length < total; slot++) {
      symbols.push((chunk >> (14 - bits * (slot + 1))) & (isWide ? 3 : 1));
    }
  }
  return { symbols, at };
}
