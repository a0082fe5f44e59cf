import { OpusDecoder } from '../../packages/media/src/live/microphone/opus-decoder.js';

/** Measures the level of consecutive Opus packets. The creator closes it. */
export class OpusLevel {
  private readonly decoder = new OpusDecoder();

  /** Greatest sample of the packet's sound, 0…1. */
  peakOf(payload: Uint8Array): number {
    return this.decoder.decode(payload).reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
  }

  /** Idempotent. */
  close(): void {
    this.decoder.close();
  }
}
