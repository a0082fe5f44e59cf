import type { TransportFeedback } from './transport-feedback.js';

/** Sent packets that wait for feedback. Power of two. */
const REMEMBERED = 4096;

/** A packet that feedback has reported on. */
export interface SentPacket {
  readonly sentMs: number;
  readonly bytes: number;
  /** ms on the receiver's clock; `undefined` when it was lost. */
  readonly arrivedMs: number | undefined;
}

/** Numbers every packet of a connection and matches feedback with what was sent. */
export class TransportSequence {
  private count = 0;
  private reported = -1;
  private readonly sentMs = new Float64Array(REMEMBERED);
  private readonly bytes = new Uint16Array(REMEMBERED);

  /** The transport-wide number of a packet of `bytes` bytes that is sent now. */
  next(bytes: number, nowMs: number): number {
    const slot = this.count & (REMEMBERED - 1);
    this.sentMs[slot] = nowMs;
    this.bytes[slot] = bytes;
    return this.count++ & 0xffff;
  }

  /** The packets of a feedback message in sending order, without those reported before. */
  match(feedback: TransportFeedback): SentPacket[] {
    const out: SentPacket[] = [];
    for (const { sequence, atMs } of feedback.arrivals) {
      const back = (this.count - 1 - sequence) & 0xffff;
      const number = this.count - 1 - back;
      if (number < 0 || back >= REMEMBERED || number <= this.reported) continue;
      this.reported = number;
      const slot = number & (REMEMBERED - 1);
      out.push({ sentMs: this.sentMs[slot]!, bytes: this.bytes[slot]!, arrivedMs: atMs });
    }
    return out;
  }
}
