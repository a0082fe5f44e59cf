import { BitrateController, type BitrateRange } from './bitrate.js';
import { parseRtcp, type ReportBlock, roundTrip } from './rtcp.js';
import type { RtpSender } from './sender.js';
import type { TransportSequence } from './transport-sequence.js';

/** What the feedback handler acts on. */
export interface FeedbackOptions {
  readonly range: BitrateRange;
  readonly sequence: TransportSequence;
  /** The peer sends transport-wide feedback. */
  readonly hasTransportFeedback: boolean;
  /** The stream whose lost packets are retransmitted, and its SSRC. */
  readonly video: { readonly sender: RtpSender; readonly ssrc: number } | undefined;
  readonly onKeyframeRequest: () => void;
  readonly onBitRate: (bitsPerSecond: number) => void;
}

/** Assumed until the first report. */
const FIRST_ROUND_TRIP_MS = 60;
/** Smaller relative changes of the bit rate are not passed to the encoder. */
const NOTICEABLE = 0.05;

/** Handles the peer's RTCP: retransmits lost packets, requests keyframes and sets the bit rate. */
export class Feedback {
  private readonly bitrate: BitrateController;
  private reported: number;
  private rtt: number | undefined;
  private lost = 0;
  private heard: number | undefined;

  constructor(private readonly options: FeedbackOptions) {
    this.bitrate = new BitrateController(options.range);
    this.reported = options.range.start;
  }

  /** Time of the peer's last RTCP packet, ms of the monotonic clock. */
  get heardMs(): number | undefined {
    return this.heard;
  }

  /** ms; `null` before the first report. */
  get roundTripMs(): number | null {
    return this.rtt ?? null;
  }

  /** Recent share of lost packets, 0…1. */
  get loss(): number {
    return Math.max(0, Math.min(1, this.lost));
  }

  /** Takes a compound packet. `wallMs` is the clock of sender reports. */
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
            video.sender.retransmit(message.sequences, nowMs, this.rtt ?? FIRST_ROUND_TRIP_MS);
          }
          break;
        case 'keyframe':
          this.options.onKeyframeRequest();
          break;
        case 'transport':
          this.bitrate.onFeedback(this.options.sequence.match(message.feedback), nowMs);
          break;
        case 'goodbye':
          // Ignored: the end of the DTLS connection is more reliable.
          break;
      }
    }
    this.reportBitRate();
  }

  private onReport(block: ReportBlock, nowMs: number, wallMs: number): void {
    const measured = roundTrip(block, wallMs);
    if (measured !== undefined) this.rtt = this.rtt === undefined ? measured : 0.7 * this.rtt + 0.3 * measured;
    if (block.ssrc !== this.options.video?.ssrc) return;
    this.lost = 0.5 * this.lost + 0.5 * block.lost;
    this.bitrate.onReport(block.lost, nowMs, this.options.hasTransportFeedback);
  }

  private reportBitRate(): void {
    const { target } = this.bitrate;
    if (Math.abs(target - this.reported) < this.reported * NOTICEABLE) return;
    this.reported = target;
    this.options.onBitRate(target);
  }
}
