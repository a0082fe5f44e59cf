import { SAMPLE_RATE } from '../time.js';

/** A packet whose sound is being played: what `RTCRtpReceiver.getSynchronizationSources` returns. */
export interface PlayedPacket {
  /** ms since 1970 at which it was played. */
  readonly timestamp: number;
  readonly rtpTimestamp: number;
}

/** Share of a difference that is corrected with each reading: a jump would be seen. */
const SLEW = 0.2;
/** A greater difference is a gap or an interruption of the sound, which the picture follows at once, samples. */
const JUMP = 0.25 * SAMPLE_RATE;

/** The sample that the viewer hears, from readings of the sound and the page's own clock between them. */
export class SoundClock {
  /** Samples of the stream's clock minus those of the page's. */
  private offset: number | undefined;
  private zero = 0;
  private latest = 0;

  /** A connection begins: `timestamp` is that of sample 0 in its sound, `sample` the present. */
  begin(timestamp: number, sample: number, nowMs: number): void {
    this.zero = timestamp;
    this.offset ??= sample - toSamples(nowMs);
  }

  /** Takes a reading of the sound of this connection. */
  read({ timestamp, rtpTimestamp }: PlayedPacket): void {
    // Timestamps have 32 bits, and the first packet is before sample 0.
    const sample = (rtpTimestamp - this.zero) | 0;
    const found = sample - toSamples(timestamp);
    const difference = found - (this.offset ?? found);
    this.offset = Math.abs(difference) > JUMP ? found : found - difference * (1 - SLEW);
  }

  /** Never goes back. */
  sampleAt(nowMs: number): number {
    const sample = Math.round(toSamples(nowMs) + (this.offset ?? 0));
    this.latest = Math.max(this.latest, sample);
    return this.latest;
  }
}

function toSamples(ms: number): number {
  return (ms * SAMPLE_RATE) / 1000;
}
