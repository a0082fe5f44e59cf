/**
 * Redundant sound (RFC 2198, as browsers offer it: `red/48000/2`): each packet also has the payloads before it, so that the player replaces lost packets
 * without a request.
 */

/** Bits of a block's length and of its age in ticks. */
const MAX_LENGTH = 2 ** 10;
const MAX_AGE = 2 ** 14;
const COPY_HEADER = 4;
/** Copies that are kept. */
const MAX_COPIES = 2;

interface Sent {
  readonly payload: Uint8Array;
  readonly ticks: number;
}

/** Builds the payloads of one stream. */
export class RedPacketizer {
  private sent: readonly Sent[] = [];

  /** @param payloadType of the sound in the blocks. */
  constructor(private readonly payloadType: number) {}

  /**
   * The payload of a packet with up to `copies` earlier ones. `undefined` when there is none to repeat: the packet is then sent as it is.
   * @param ticks the packet's time on the stream's clock.
   */
  next(payload: Uint8Array, ticks: number, copies: number): Uint8Array | undefined {
    const isUsable = (one: Sent): boolean => ticks - one.ticks < MAX_AGE && one.payload.length < MAX_LENGTH;
    const blocks = copies === 0 ? [] : this.sent.filter(isUsable).slice(-copies);
    // One byte is silence, which the player makes by itself.
    const isSound = payload.length > 1;
    if (isSound) this.sent = [...this.sent, { payload, ticks }].slice(-MAX_COPIES);
    if (!isSound || blocks.length === 0) return undefined;
    const headers = COPY_HEADER * blocks.length + 1;
    const out = new Uint8Array(blocks.reduce((sum, block) => sum + block.payload.length, headers + payload.length));
    let at = 0;
    for (const block of blocks) {
      const age = ticks - block.ticks;
      const { length } = block.payload;
      out[at++] = 0x80 | this.payloadType;
      out[at++] = age >> 6;
      out[at++] = ((age & 63) << 2) | (length >> 8);
      out[at++] = length;
    }
    out[at++] = this.payloadType;
    for (const { payload: block } of [...blocks, { payload }]) {
      out.set(block, at);
      at += block.length;
    }
    return out;
  }
}
