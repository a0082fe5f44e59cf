import { BitrateController, type BitrateRange } from './bitrate.js';
import { type Budget, divide } from './budget.js';
import type { Pacer } from './pacer.js';
import { parseRtcp, type ReportBlock, roundTrip } from './rtcp.js';
import type { RtpSender } from './sender.js';
import type { TransportSequence } from './transport-sequence.js';

/** What the feedback handler acts on. */
export interface FeedbackOptions {
  readonly range: BitrateRange;
  readonly sequence: TransportSequence;
  /** The peer sends transport-wide feedback. */
  readonly hasTransportFeedback: boolean;
  readonly pacer: Pacer;
  /** SSRC of the sound. */
  readonly audioSsrc: number;
  /** The stream whose lost packets are retransmitted, and its SSRC. */
  readonly video: { readonly sender: RtpSender; readonly ssrc: number } | undefined;
  /** The peer reads redundant sound. */
  readonly repeats: boolean;
  readonly onKeyframeRequest: () => void;
  readonly onBudget: (budget: Budget) => void;
}

/** Assumed until the first report. */
const FIRST_ROUND_TRIP_MS = 60;
/** Smaller relative changes of the pictures' bit rate are not passed on. */
const NOTICEABLE = 0.05;

/** Handles the peer's RTCP: retransmits lost packets, requests keyframes and divides the bandwidth. */
export class Feedback {
  private readonly bitrate: BitrateController;
  private current: Budget;
  private rtt: number | undefined;
  private lost = 0;
  private heard: number | undefined;

  constructor(private readonly options: FeedbackOptions) {
    this.bitrate = new BitrateController(options.range);
    this.current = this.divide();
  }

  /** How the bandwidth is used now. */
  get budget(): Budget {
    return this.current;
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
    this.reportBudget();
  }

  private onReport(block: ReportBlock, nowMs: number, wallMs: number): void {
    const measured = roundTrip(block, wallMs);
    if (measured !== undefined) this.rtt = this.rtt === undefined ? measured : 0.7 * this.rtt + 0.3 * measured;
    const { video, audioSsrc, hasTransportFeedback } = this.options;
    if (block.ssrc !== audioSsrc && block.ssrc !== video?.ssrc) return;
    this.lost = 0.5 * this.lost + 0.5 * block.lost;
    if (block.ssrc === (video?.ssrc ?? audioSsrc)) this.bitrate.onReport(block.lost, nowMs, hasTransportFeedback);
  }

  private reportBudget(): void {
    this.options.pacer.setTarget(this.bitrate.target);
    const budget = this.divide();
    const { soundBits, copies, videoBits } = this.current;
    const isSame = budget.soundBits === soundBits && budget.copies === copies;
    if (isSame && Math.abs(budget.videoBits - videoBits) < videoBits * NOTICEABLE) return;
    this.current = budget;
    this.options.onBudget(budget);
  }

  private divide(): Budget {
    return divide(this.bitrate.target, { loss: this.loss, repeats: this.options.repeats });
  }
}
