import type { SentPacket } from './transport-sequence.js';

/** Packets sent within this many ms form one group, because their spacing says nothing about the link. */
const GROUP_MS = 5;
/** Groups over which the trend of the delay is fitted. */
const WINDOW = 20;
/** A link counts as congested when its queueing delay grows by this slope (ms per ms) for this long. */
const OVERUSE_SLOPE = 0.05;
const OVERUSE_MS = 40;
/** Queueing delay below this counts as jitter. */
const TOLERATED_DELAY_MS = 25;
const BACKOFF = 0.85;
const GROWTH_PER_SECOND = 1.08;
const HOLD_AFTER_DECREASE_MS = 1000;
/** Loss-based part (draft-ietf-rmcat-gcc-02 section 6). */
const LOSS_HIGH = 0.1;
const LOSS_LOW = 0.02;
const LOSS_INTERVAL_MS = 500;

/** Bounds of the estimate in bits per second. */
export interface BitrateRange {
  readonly min: number;
  readonly start: number;
  readonly max: number;
}

interface Group {
  readonly sentMs: number;
  arrivedMs: number;
}

/**
 * Estimates a connection's bandwidth by Google congestion control (draft-ietf-rmcat-gcc-02): a growing one-way delay means
 * that a queue fills, so the rate falls below the received rate; loss above 10 % lowers it too; otherwise it grows by 8 % per
 * second. Its input is transport-wide feedback, or receiver reports when the peer sends none.
 */
export class BitrateController {
  private estimate: number;
  private group: Group | undefined;
  private before: Group | undefined;
  private readonly delays: { atMs: number; delay: number }[] = [];
  private delay = 0;
  private overuseSinceMs: number | undefined;
  private decreasedMs = -Infinity;
  private lossDecreasedMs = -Infinity;
  private updatedMs: number | undefined;
  private arrived: { atMs: number; bytes: number }[] = [];
  private loss = 0;

  constructor(private readonly range: BitrateRange) {
    this.estimate = range.start;
  }

  /** Bits per second that may be sent. */
  get target(): number {
    return Math.round(this.estimate);
  }

  /** Takes the transport-wide feedback of packets, in sending order. */
  onFeedback(packets: readonly SentPacket[], nowMs: number): void {
    let lost = 0;
    for (const packet of packets) {
      if (packet.arrivedMs === undefined) {
        lost++;
        continue;
      }
      this.arrived.push({ atMs: packet.arrivedMs, bytes: packet.bytes });
      this.addToGroup(packet.sentMs, packet.arrivedMs);
    }
    if (packets.length > 0) this.onLoss(lost / packets.length, nowMs, Math.min(1, packets.length / 50));
    const newest = this.arrived.at(-1)?.atMs ?? 0;
    while (this.arrived.length > 0 && newest - this.arrived[0]!.atMs > 500) this.arrived.shift();
    if (this.isOverused(nowMs)) this.decrease(nowMs);
    else this.grow(nowMs);
  }

  /** Takes the loss of a receiver report (0…1). Ignored `withFeedback`, so that the rate does not grow twice. */
  onReport(lost: number, nowMs: number, withFeedback: boolean): void {
    if (withFeedback) return;
    this.onLoss(lost, nowMs, 0.5);
    this.grow(nowMs);
  }

  private onLoss(lost: number, nowMs: number, weight: number): void {
    this.loss += (lost - this.loss) * Math.max(0.05, weight);
    if (this.loss <= LOSS_HIGH || nowMs - this.lossDecreasedMs < LOSS_INTERVAL_MS) return;
    this.lossDecreasedMs = nowMs;
    this.set(this.estimate * (1 - 0.5 * this.loss));
  }

  private grow(nowMs: number): void {
    const elapsed = Math.min(1000, nowMs - (this.updatedMs ?? nowMs));
    this.updatedMs = nowMs;
    if (this.loss > LOSS_LOW || nowMs - this.decreasedMs < HOLD_AFTER_DECREASE_MS) return;
    this.set(this.estimate * GROWTH_PER_SECOND ** (elapsed / 1000));
  }

  private decrease(nowMs: number): void {
    this.updatedMs = nowMs;
    if (nowMs - this.decreasedMs < 300) return;
    this.decreasedMs = nowMs;
    this.overuseSinceMs = undefined;
    const span = (this.arrived.at(-1)?.atMs ?? 0) - (this.arrived[0]?.atMs ?? 0);
    const bits = 8 * this.arrived.reduce((sum, packet) => sum + packet.bytes, 0);
    // An idle presenter sends little, so the received rate says nothing about the bandwidth.
    const received = span > 200 ? (bits * 1000) / span : this.estimate;
    this.set(Math.min(this.estimate * BACKOFF, Math.max(this.estimate * 0.5, received * BACKOFF)));
  }

  private addToGroup(sentMs: number, arrivedMs: number): void {
    if (this.group && sentMs - this.group.sentMs <= GROUP_MS) {
      this.group.arrivedMs = Math.max(this.group.arrivedMs, arrivedMs);
      return;
    }
    if (this.group && this.before) {
      const gradient = this.group.arrivedMs - this.before.arrivedMs - (this.group.sentMs - this.before.sentMs);
      this.delay += gradient;
      this.delays.push({ atMs: this.group.arrivedMs, delay: this.delay });
      if (this.delays.length > WINDOW) this.delays.shift();
    }
    this.before = this.group;
    this.group = { sentMs, arrivedMs };
  }

  private isOverused(nowMs: number): boolean {
    if (this.delays.length < WINDOW) return false;
    const lowest = Math.min(...this.delays.map(({ delay }) => delay));
    const isFull = slopeOf(this.delays) > OVERUSE_SLOPE && this.delay - lowest > TOLERATED_DELAY_MS;
    if (!isFull) this.overuseSinceMs = undefined;
    else this.overuseSinceMs ??= nowMs;
    return this.overuseSinceMs !== undefined && nowMs - this.overuseSinceMs >= OVERUSE_MS;
  }

  private set(bits: number): void {
    this.estimate = Math.min(this.range.max, Math.max(this.range.min, bits));
  }
}

/** Least-squares slope of delay over time. */
function slopeOf(points: readonly { atMs: number; delay: number }[]): number {
  const n = points.length;
  const meanAt = points.reduce((sum, { atMs }) => sum + atMs, 0) / n;
  const meanDelay = points.reduce((sum, { delay }) => sum + delay, 0) / n;
  let above = 0;
  let below = 0;
  for (const { atMs, delay } of points) {
    above += (atMs - meanAt) * (delay - meanDelay);
    below += (atMs - meanAt) ** 2;
  }
  return below === 0 ? 0 : above / below;
}
