/** Bytes around the payload of a packet: RTP with extensions, SRTP tag, UDP and IP. */
export const PACKET_OVERHEAD = 60;

/** ms of the rate that may be sent at once: pictures of the usual size are not delayed. */
const BURST_MS = 40;
/** Share of the rate for retransmissions, the time over which it may be saved up, and that of the beginning. */
const REPAIR_SHARE = 0.25;
const REPAIR_MS = 500;
const FIRST_REPAIR_MS = 100;
/** A retransmission that has waited for longer would be late. */
const LATE_MS = 250;
/** The rate over the target: up to this target the queue of a narrow link must not fill, above it keyframes should be fast. */
const NARROW_BITS = 400_000;
const FACTORS = { narrow: 1.1, wide: 2.5 } as const;

/** Bits that leave at once in the beginning: the first keyframe, which also shows how narrow the link is. */
const FIRST_BURST_BITS = 400_000;

/** What a packet is: sound is never delayed, a repair (retransmission) goes before pictures. */
export type PacketKind = 'sound' | 'repair' | 'picture';

interface Waiting {
  readonly bits: number;
  readonly sinceMs: number;
  readonly send: (nowMs: number) => void;
}

/**
 * Spreads a connection's packets over time, so that no queue of the network fills, and limits retransmissions. All kinds share one rate.
 * The creator closes it.
 */
export class Pacer {
  /** Bits that may be sent now; negative after a packet that was larger, and after sound. */
  private credit = FIRST_BURST_BITS;
  private repairCredit: number;
  private atMs: number | undefined;
  private readonly queues: Record<'repair' | 'picture', Waiting[]> = { repair: [], picture: [] };
  private waitingBits = 0;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param target bandwidth for all that is sent, bits per second.
   * @param now the monotonic clock, ms.
   */
  constructor(
    private target: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.repairCredit = (target * REPAIR_SHARE * FIRST_REPAIR_MS) / 1000;
  }

  /** Sets the bandwidth for all that is sent, bits per second. */
  setTarget(bitsPerSecond: number): void {
    this.target = bitsPerSecond;
    // The first burst is over when its effect is known.
    this.credit = Math.min(this.credit, this.burst);
  }

  /** ms until a picture that is sent now would leave. */
  get backlogMs(): number {
    return (1000 * this.waitingBits) / this.rate;
  }

  /**
   * Sends a packet of `bytes` of payload now or later, in order within its kind; `send` receives the time.
   * @returns false for a repair beyond the limit, which is not sent.
   */
  send(kind: PacketKind, bytes: number, send: (nowMs: number) => void): boolean {
    const nowMs = this.now();
    this.refill(nowMs);
    const bits = 8 * (bytes + PACKET_OVERHEAD);
    if (kind === 'repair') {
      if (this.repairCredit < bits) return false;
      this.repairCredit -= bits;
    }
    if (kind === 'sound' || (this.waitingBits === 0 && this.credit >= 0)) {
      this.credit -= bits;
      send(nowMs);
      return true;
    }
    this.queues[kind].push({ bits, sinceMs: nowMs, send });
    this.waitingBits += bits;
    this.schedule();
    return true;
  }

  /** Drops what waits. Idempotent. */
  close(): void {
    clearTimeout(this.timer);
    this.queues.repair.length = 0;
    this.queues.picture.length = 0;
  }

  private get rate(): number {
    return this.target * (this.target < NARROW_BITS ? FACTORS.narrow : FACTORS.wide);
  }

  private get burst(): number {
    return (this.rate * BURST_MS) / 1000;
  }

  private refill(nowMs: number): void {
    const seconds = (nowMs - (this.atMs ?? nowMs)) / 1000;
    this.atMs = nowMs;
    this.credit = Math.min(Math.max(this.credit, this.burst), this.credit + this.rate * seconds);
    const repairRate = this.target * REPAIR_SHARE;
    this.repairCredit = Math.min((repairRate * REPAIR_MS) / 1000, this.repairCredit + repairRate * seconds);
  }

  private schedule(): void {
    if (this.timer !== undefined || this.waitingBits === 0) return;
    const waitMs = Math.max(1, (-1000 * this.credit) / this.rate);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.drain();
    }, waitMs);
  }

  private drain(): void {
    const nowMs = this.now();
    this.refill(nowMs);
    for (;;) {
      if (this.credit < 0) break;
      const { repair, picture } = this.queues;
      const isRepair = repair.length > 0;
      const next = (isRepair ? repair : picture).shift();
      if (next === undefined) break;
      this.waitingBits -= next.bits;
      const isLate = isRepair && nowMs - next.sinceMs > LATE_MS;
      if (isLate) continue;
      this.credit -= next.bits;
      next.send(nowMs);
    }
    this.schedule();
  }
}
