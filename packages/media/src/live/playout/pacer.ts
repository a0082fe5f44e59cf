import { SAMPLE_RATE } from '../../time.js';

/** Samples in one packet of sound: 20 ms. */
export const AUDIO_FRAME = 960;

/**
 * After a stall (the process was stopped, the machine overloaded) this much sound is sent at once to catch up; beyond it
 * the stream's clock is set back, because a receiver throws away what comes seconds late.
 */
const CATCH_UP_MS = 200;

/** What a pacer drives. */
export interface PacerClient {
  /** The sound of the samples from `sample` on, one {@link AUDIO_FRAME}, is due. Called for every frame in order. */
  onAudio(sample: number, nowMs: number): void;
  /** A picture of the instant `sample` is due. Only the latest one when several are overdue. */
  onVideo(sample: number, nowMs: number): void;
  /** Nothing is to be heard: what is due may wait a little for others. */
  isResting?(): boolean;
}

/** Monotonic time, passed in so that tests can hold it. */
export interface PacerClock {
  /** ms. */
  now(): number;
  /** Calls back once after `delayMs`, some 20 ms later when it `canWait`; the return value cancels. */
  after(delayMs: number, call: () => void, canWait?: boolean): () => void;
  /** Calls back when all calls that are due together have been made. */
  last(call: () => void): void;
  /** The instant from which a new pacer counts, now or soon; `leave` gives its place back. */
  enter(): { readonly startMs: number; leave(): void };
}

/**
 * The heartbeat of a session. Its clock is the count of audio samples since the start, held against monotonic time: each
 * tick takes the sound and then the picture that are due. Late pictures are dropped, sound never.
 */
export class Pacer {
  private startedMs = 0;
  private nextAudio = 0;
  private nextVideo = 0;
  private frameSamples: number;
  private cancel: (() => void) | undefined;
  private leave: (() => void) | undefined;
  private stalls = 0;
  private stopped = false;

  constructor(
    private readonly client: PacerClient,
    framesPerSecond: number,
    private readonly clock: PacerClock,
  ) {
    this.frameSamples = SAMPLE_RATE / framesPerSecond;
  }

  /** First sample that has not been sent. */
  get position(): number {
    return this.nextAudio;
  }

  /** Times that the clock had to be set back. */
  get stallCount(): number {
    return this.stalls;
  }

  /** The stream's time at an instant of the monotonic clock, in samples (float). */
  sampleAt(nowMs: number): number {
    return ((nowMs - this.startedMs) * SAMPLE_RATE) / 1000;
  }

  /** The pictures' rate from now on. */
  setFrameRate(framesPerSecond: number): void {
    if (SAMPLE_RATE / framesPerSecond === this.frameSamples) return;
    this.frameSamples = SAMPLE_RATE / framesPerSecond;
    this.nextVideo = Math.ceil(this.nextVideo / this.frameSamples) * this.frameSamples;
  }

  /** Sample 0 is now, or as soon as the clock has a place. */
  start(): void {
    if (this.leave || this.stopped) return;
    const { startMs, leave } = this.clock.enter();
    this.startedMs = startMs;
    this.leave = leave;
    this.tick();
  }

  /** Idempotent; a stopped pacer stays stopped. */
  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    this.cancel?.();
    this.leave?.();
  }

  private readonly onDue = (): void => this.tick();

  private tick(): void {
    const nowMs = this.clock.now();
    const behind = this.sampleAt(nowMs) - this.nextAudio;
    if (behind > (CATCH_UP_MS * SAMPLE_RATE) / 1000) {
      this.stalls++;
      this.startedMs = nowMs - (this.nextAudio * 1000) / SAMPLE_RATE;
    }
    const due = this.sampleAt(nowMs);
    while (this.nextAudio <= due && !this.stopped) {
      const sample = this.nextAudio;
      this.nextAudio += AUDIO_FRAME;
      this.client.onAudio(sample, nowMs);
    }
    if (this.nextVideo <= due && !this.stopped) {
      const sample = this.nextVideo + Math.floor((due - this.nextVideo) / this.frameSamples) * this.frameSamples;
      this.nextVideo = sample + this.frameSamples;
      this.clock.last(() => {
        if (!this.stopped) this.client.onVideo(sample, nowMs);
      });
    }
    if (this.stopped) return;
    const nextMs = this.startedMs + (Math.min(this.nextAudio, this.nextVideo) * 1000) / SAMPLE_RATE;
    this.cancel = this.clock.after(Math.max(0, nextMs - nowMs), this.onDue, this.client.isResting?.());
  }
}
