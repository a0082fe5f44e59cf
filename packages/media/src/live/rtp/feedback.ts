import { BitrateController, type BitrateRange } from './bitrate.js';
import { parseRtcp, type ReportBlock, roundTrip } from './rtcp.js';
import type { RtpSender } from './sender.js';
import type { TransportSequence } from './transport-sequence.js';

/** What feedback acts on. */
export interface FeedbackOptions {
  readonly range: BitrateRange;
  readonly sequence: TransportSequence;
  /** The peer reports on every packet's arrival. */
  readonly hasTransportFeedback: boolean;
  /** The stream whose packets are repeated, and its SSRC. */
  readonly video: { readonly sender: RtpSender; readonly ssrc: number } | undefined;
  readonly onKeyframeRequest: () => void;
  readonly onBitRate: (bitsPerSecond: number) => void;
}

/** Assumed until the first report tells it. */
const FIRST_ROUND_TRIP_MS = 60;
/** Smaller changes of the rate are not passed on: an encoder has to be told each. */
const NOTICEABLE = 0.05;

/** Understands the peer's RTCP: repeats what was lost, asks for keyframes, steers the bit rate. */
export class Feedback {
  private readonly bitrate: BitrateController;
  private told: number;
  private rtt: number | undefined;
  private lost = 0;
  private heard: number | undefined;

  constructor(private readonly options: FeedbackOptions) {
    this.bitrate = new BitrateController(options.range);
    this.told = options.range.start;
  }

  /** Last time that the peer was heard, ms of the monotonic clock. */
  get heardMs(): number | undefined {
    return this.heard;
  }

  /** ms; `null` before the first report. */
  get roundTripMs(): number | null {
    return this.rtt ?? null;
  }

  /** Share of packets that the peer missed lately, 0…1. */
  get loss(): number {
    return Math.max(0, Math.min(1, this.lost));
  }

  /** Takes a compound packet. `wallMs` is the clock that sender reports are stamped with. */
  onRtcp(packet: Uint8Array, nowMs: number, wallMs: number): void {
    this.heard = nowMs;
    const { video } = this.options;
    for (const message of parseRtcp(packet)) {
      switch (message.type) {
        case 'report':
          for (const block of message.blocks) this.onReport(block, nowMs, wallMs);
          break;
        case 'nack':
          if (message.ssrc === video?.ssrc) {
            video.sender.repeat(message.sequences, nowMs, this.rtt ?? FIRST_ROUND_TRIP_MS);
          }
          break;
        case 'keyframe':
          this.options.onKeyframeRequest();
          break;
        case 'transport':
          this.bitrate.onFeedback(this.options.sequence.match(message.feedback), nowMs);
          break;
        case 'goodbye':
          // The connection's own end tells more surely.
          break;
      }
    }
    this.tellBitRate();
  }

  private onReport(block: ReportBlock, nowMs: number, wallMs: number): void {
    const measured = roundTrip(block, wallMs);
    if (measured !== undefined) this.rtt = this.rtt === undefined ? measured : 0.7 * this.rtt + 0.3 * measured;
    if (block.ssrc !== this.options.video?.ssrc) return;
    this.lost = 0.5 * this.lost + 0.5 * block.lost;
    this.bitrate.onReport(block.lost, nowMs, this.options.hasTransportFeedback);
  }

  private tellBitRate(): void {
    const { target } = this.bitrate;
    if (Math.abs(target - this.told) < this.told * NOTICEABLE) return;
    this.told = target;
    this.options.onBitRate(target);
  }
}
