import type { SentPacket } from './transport-sequence.js';

/** Packets sent within this many ms form one group, because their spacing says nothing about the link. */
const GROUP_MS = 5;
/** Groups over which the trend of the delay is fitted. */
const WINDOW = 20;
/** A link counts as congested when its queueing delay grows by this slope (ms per ms) for this long. */
const OVERUSE_SLOPE = 0.05;
const OVERUSE_MS = 100;
/** Queueing delay below this counts as jitter, and below this many times the usual one, which is the mean of recent feedback by this weight. */
const TOLERATED_DELAY_MS = 40;
const TOLERATED_TIMES = 2;
const USUAL_WEIGHT = 0.03;
const BACKOFF = 0.85;
const GROWTH_PER_SECOND = 1.12;
const HOLD_AFTER_DECREASE_MS = 1000;
/** Loss-based part (draft-ietf-rmcat-gcc-02 section 6). */
const LOSS_HIGH = 0.1;
const LOSS_LOW = 0.02;
const LOSS_INTERVAL_MS = 500;

/** A burst of at least this many packets that takes at least this long to arrive shows the rate of a narrow link. */
const PROBE_PACKETS = 3;
const PROBE_MS = 30;
/** One decrease goes down to the received rate, but not below this share: the presenter may just have sent little. */
const DECREASE_MOST = 0.6;
/** Below this share of its peak the delay falls: a busy receiver is catching up, and the link is fast enough. */
const AT_PEAK = 0.9;
/** Loss without a queue lowers the rate from here on: below, radio links lose packets whatever the rate is. */
const LOSS_EXTREME = 0.3;
/** A queue of this many ms stays full at the present rate; a busy machine or radio link seldom delays packets for so long. */
const STANDING_MS = 100;
/** ms per second by which the shortest known delay is forgotten, for paths that become longer and clocks that drift. */
const BASE_RISE = 2;

/** Bounds of the estimate in bits per second. */
export interface BitrateRange {
  readonly min: number;
  readonly start: number;
  readonly max: number;
}

/** Packets sent at once. */
interface Group {
  readonly sentMs: number;
  readonly firstArrivedMs: number;
  arrivedMs: number;
  packets: number;
  /** Of all packets but the first. */
  bytes: number;
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
  private sent: SentPacket[] = [];
  private loss = 0;
  private base = { delay: 0, atMs: 0 };
  /** Rise of the delay within a window, ms: on a busy machine it is larger than a queue would explain. */
  private usualRise = 0;
  private hasProbed = false;

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
      if (packet.arrivedMs === undefined) lost++;
      else this.addToGroup(packet.sentMs, packet.arrivedMs, packet.bytes);
    }
    this.sent.push(...packets);
    const newest = this.sent.at(-1)?.sentMs ?? 0;
    while (this.sent.length > 0 && newest - this.sent[0]!.sentMs > 500) this.sent.shift();
    if (packets.length > 0) this.onLoss(lost / packets.length, nowMs, Math.min(1, packets.length / 50));
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
    const isCongestion = this.loss > LOSS_EXTREME || (this.loss > LOSS_HIGH && this.hasQueue);
    if (!isCongestion || nowMs - this.lossDecreasedMs < LOSS_INTERVAL_MS) return;
    this.lossDecreasedMs = nowMs;
    this.set(this.estimate * (1 - 0.5 * this.loss));
  }

  /** All of the latest packets took longer than on the empty link, or nothing is known about them. */
  private get hasQueue(): boolean {
    const shortest = Math.min(...this.delays.map(({ delay }) => delay));
    return this.delays.length < WINDOW || shortest - this.base.delay > STANDING_MS;
  }

  private grow(nowMs: number): void {
    const elapsed = Math.min(1000, nowMs - (this.updatedMs ?? nowMs));
    this.updatedMs = nowMs;
    if ((this.loss > LOSS_LOW && this.hasQueue) || nowMs - this.decreasedMs < HOLD_AFTER_DECREASE_MS) return;
    this.set(this.estimate * GROWTH_PER_SECOND ** (elapsed / 1000));
  }

  private decrease(nowMs: number): void {
    this.updatedMs = nowMs;
    if (nowMs - this.decreasedMs < 300) return;
    this.decreasedMs = nowMs;
    this.overuseSinceMs = undefined;
    const received =
      rateOf(this.sent.flatMap(({ arrivedMs: atMs, bytes }) => (atMs === undefined ? [] : [{ atMs, bytes }]))) ??
      this.estimate;
    this.set(Math.min(this.estimate * BACKOFF, Math.max(this.estimate * DECREASE_MOST, received * BACKOFF)));
  }

  private addToGroup(sentMs: number, arrivedMs: number, bytes: number): void {
    if (this.group && sentMs - this.group.sentMs <= GROUP_MS) {
      this.group.arrivedMs = Math.max(this.group.arrivedMs, arrivedMs);
      this.group.packets++;
      this.group.bytes += bytes;
      return;
    }
    this.probe();
    if (this.group && this.before) {
      const gradient = this.group.arrivedMs - this.before.arrivedMs - (this.group.sentMs - this.before.sentMs);
      this.delay += gradient;
      const { arrivedMs: atMs } = this.group;
      const risen = this.base.delay + (BASE_RISE * (atMs - this.base.atMs)) / 1000;
      this.base = { delay: Math.min(this.delay, this.base.atMs === 0 ? 0 : risen), atMs };
      this.delays.push({ atMs: this.group.arrivedMs, delay: this.delay });
      if (this.delays.length > WINDOW) this.delays.shift();
    }
    this.before = this.group;
    this.group = { sentMs, firstArrivedMs: arrivedMs, arrivedMs, packets: 1, bytes: 0 };
  }

  /** The first burst, which is a keyframe, shows a narrow link before its delay does. */
  private probe(): void {
    const { packets = 0, bytes = 0, arrivedMs = 0, firstArrivedMs = 0 } = this.group ?? {};
    if (this.hasProbed || packets < PROBE_PACKETS) return;
    this.hasProbed = true;
    const ms = arrivedMs - firstArrivedMs;
    if (ms > PROBE_MS) this.set(Math.min(this.estimate, ((8000 * bytes) / ms) * BACKOFF));
  }

  private isOverused(nowMs: number): boolean {
    if (this.delays.length < WINDOW) return false;
    const delays = this.delays.map(({ delay }) => delay);
    const risen = this.delay - Math.min(...delays);
    const peak = Math.max(...delays) - Math.min(...delays);
    const tolerated = Math.max(TOLERATED_DELAY_MS, TOLERATED_TIMES * this.usualRise);
    this.usualRise += (risen - this.usualRise) * USUAL_WEIGHT;
    const isGrowing = slopeOf(this.delays) > OVERUSE_SLOPE && risen > tolerated && risen >= peak * AT_PEAK;
    // A full queue no longer grows.
    const isFull = isGrowing || this.hasQueue;
    if (!isFull) this.overuseSinceMs = undefined;
    else this.overuseSinceMs ??= nowMs;
    return this.overuseSinceMs !== undefined && nowMs - this.overuseSinceMs >= OVERUSE_MS;
  }

  private set(bits: number): void {
    this.estimate = Math.min(this.range.max, Math.max(this.range.min, bits));
  }
}

/** Bits per second of packets; `undefined` when they are too few. */
function rateOf(packets: readonly { readonly atMs: number; readonly bytes: number }[]): number | undefined {
  const span = (packets.at(-1)?.atMs ?? 0) - (packets[0]?.atMs ?? 0);
  const bits = 8 * packets.reduce((sum, { bytes }) => sum + bytes, 0);
  return span > 200 ? (bits * 1000) / span : undefined;
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
