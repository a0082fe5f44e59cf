import { SAMPLE_RATE } from '@figurehead/presenter/time';

/** Samples in one packet of sound: 20 ms. */
export const AUDIO_FRAME = 960;

/**
 * After a stall (the process was stopped, the machine overloaded) at most this much sound is sent at once to catch up. Beyond it
 * the clock is set back, because receivers discard packets that are seconds late.
 */
const CATCH_UP_MS = 200;

/** What a media clock drives. */
export interface MediaClockClient {
  /** The sound of the samples from `sample` on, one {@link AUDIO_FRAME}, is due. Called for every frame in order. */
  onAudio(sample: number, nowMs: number): void;
  /** A picture of the instant `sample` is due. When several are overdue, only the latest is called. */
  onVideo(sample: number, nowMs: number): void;
  /** The session is silent: its calls may wait up to 20 ms to be batched with others. */
  isIdle?(): boolean;
  /** How many frames of sound from the next one on need no call in time: they come together, and so do their pictures. */
  idleFrames?(): number;
}

/** Monotonic time and timers; passed in so that tests control them. */
export interface Scheduler {
  /** ms. */
  now(): number;
  /** Calls back once after `delayMs`, up to 20 ms later when it `canWait`; the return value cancels. */
  after(delayMs: number, call: () => void, canWait?: boolean): () => void;
  /** Calls back after all calls that are due in the same slot. */
  last(call: () => void): void;
  /** Assigns a phase: the instant at which a new media clock starts, now or soon. `leave` gives the phase back. */
  join(): { readonly startMs: number; leave(): void };
}

/**
 * The media clock of a session: the count of audio samples since the start, compared with monotonic time. Each
 * tick sends the due sound, then the due picture. Late pictures are dropped, sound never.
 */
export class MediaClock {
  private startedMs = 0;
  private nextAudio = 0;
  private nextVideo = 0;
  /** Samples that the next tick has been put off. */
  private putOff = 0;
  private isTicking = false;
  private frameSamples: number;
  private cancel: (() => void) | undefined;
  private leave: (() => void) | undefined;
  private stalls = 0;
  private stopped = false;

  constructor(
    private readonly client: MediaClockClient,
    framesPerSecond: number,
    private readonly scheduler: Scheduler,
  ) {
    this.frameSamples = SAMPLE_RATE / framesPerSecond;
  }

  /** First sample that has not been sent. */
  get position(): number {
    return this.nextAudio;
  }

  /** How often the clock had to be set back. */
  get stallCount(): number {
    return this.stalls;
  }

  /** The stream's time at an instant of the monotonic clock, in samples (float). */
  sampleAt(nowMs: number): number {
    return ((nowMs - this.startedMs) * SAMPLE_RATE) / 1000;
  }

  /** Changes the frame rate; the next picture is on the new frame grid. */
  setFrameRate(framesPerSecond: number): void {
    if (SAMPLE_RATE / framesPerSecond === this.frameSamples) return;
    this.frameSamples = SAMPLE_RATE / framesPerSecond;
    this.nextVideo = Math.ceil(this.nextVideo / this.frameSamples) * this.frameSamples;
  }

  /** Starts at sample 0, at the instant that the scheduler assigns. */
  start(): void {
    if (this.leave || this.stopped) return;
    const { startMs, leave } = this.scheduler.join();
    this.startedMs = startMs;
    this.leave = leave;
    this.tick();
  }

  /** Does at once what has been put off for an idle session. */
  catchUp(): void {
    if (!this.leave || this.stopped || this.isTicking || this.putOff === 0) return;
    this.cancel?.();
    this.tick();
  }

  /** Idempotent; a stopped clock cannot be started again. */
  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    this.cancel?.();
    this.leave?.();
  }

  private readonly onDue = (): void => this.tick();

  private tick(): void {
    this.isTicking = true;
    const nowMs = this.scheduler.now();
    const behind = this.sampleAt(nowMs) - this.nextAudio - this.putOff;
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
      this.scheduler.last(() => {
        if (!this.stopped) this.client.onVideo(sample, nowMs);
      });
    }
    this.isTicking = false;
    if (this.stopped) return;
    this.putOff = AUDIO_FRAME * (this.client.idleFrames?.() ?? 0);
    const next = this.putOff > 0 ? this.nextAudio + this.putOff : Math.min(this.nextAudio, this.nextVideo);
    const nextMs = this.startedMs + (next * 1000) / SAMPLE_RATE;
    this.cancel = this.scheduler.after(Math.max(0, nextMs - nowMs), this.onDue, this.client.isIdle?.());
  }
}
