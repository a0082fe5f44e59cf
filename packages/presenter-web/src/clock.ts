/** Samples a second of all sound and of the presenter's clock. */
export const RATE = 48_000;

/**
 * The presenter's clock, in samples: that of the sound that is heard, once the browser lets sound play; until then the page's own, because a presenter
 * breathes before its first word.
 */
export class HeardClock {
  /** Samples of the presenter's clock minus those of the context's; undefined before sound plays. */
  #offset: number | undefined;
  #latest = 0;

  constructor(private readonly context: AudioContext) {}

  /** The sample that is heard at a time of `performance.now()`. Never goes back. */
  at(nowMs: number): number {
    const heard = this.#heard(nowMs);
    const page = (nowMs * RATE) / 1000;
    if (heard !== undefined) this.#offset ??= Math.max(this.#latest, page) - heard;
    this.#latest = Math.max(this.#latest, heard === undefined ? page : heard + this.#offset!);
    return Math.round(this.#latest);
  }

  /** The presenter's sample at which sample `frame` of the context is heard. */
  of(frame: number): number {
    this.at(performance.now());
    return Math.round(frame + (this.#offset ?? 0));
  }

  /** Sample of the context; a context that was stopped keeps its last one. */
  #heard(nowMs: number): number | undefined {
    const { context } = this;
    const { contextTime = 0, performanceTime = 0 } = context.getOutputTimestamp();
    if (contextTime === 0) return context.currentTime === 0 ? undefined : context.currentTime * RATE;
    const since = context.state === 'running' ? Math.max(0, nowMs - performanceTime) / 1000 : 0;
    // What is not yet made is not heard: a machine with too much work makes sound late.
    return Math.min(contextTime + since, context.currentTime) * RATE;
  }
}
