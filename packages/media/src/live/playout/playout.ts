import type { Pcm } from '../../audio.js';
import { type SpeechChunk, SpeechError } from '../../speech/contract.js';
import { SAMPLE_RATE } from '../../time.js';
import type { LiveEvent, Speak, UtteranceHandle } from '../contract.js';
import { AUDIO_FRAME } from './pacer.js';

/*
 * An utterance: waiting → fetched (its sentences come in) → sounding → spoken | interrupted | failed.
 * The first in the queue sounds or is about to; it and the one behind it are fetched; the others wait.
 */

/** Sound that is fetched ahead of what plays; synthesis is held back beyond it, so that long texts take no memory. */
const AHEAD = 6 * SAMPLE_RATE;
/** Time that the mouth gets to take its first shape before sound begins. */
const LEAD = 0.04 * SAMPLE_RATE;
/** Breath between two utterances. */
const BREATH = 0.15 * SAMPLE_RATE;
/** An interruption fades within this many samples (8 ms): short enough to be at once, long enough not to click. */
const FADE = 384;

/** A piece of speech and when it sounds, in samples of the session. */
export interface PlacedChunk {
  readonly start: number;
  readonly chunk: SpeechChunk;
}

/** What the queue tells the session. */
export interface PlayoutListener {
  /** Speech will sound at a known time: the mouth may prepare. */
  onPlaced(placed: PlacedChunk): void;
  /** What had been placed at or after `sample` will not sound. */
  onCut(sample: number): void;
  /** For the peer, in time with the sound. */
  onEvent(event: LiveEvent): void;
  /** An utterance's synthesis failed. */
  onFailure(id: string, error: unknown): void;
  /** An utterance's first sample is on its way. */
  onBegun(timing: UtteranceTiming): void;
}

/** Where the time went between an utterance's acceptance and its first sample, ms. */
export interface UtteranceTiming {
  readonly firstSoundMs: number;
  /** From asking for its speech to the first of it. Speech is asked for while the utterance before still plays. */
  readonly synthesisMs: number;
  /** Behind other speech, or for the connection. */
  readonly queueMs: number;
}

/** What the queue reads from the session. */
export interface PlayoutClock {
  /** ms, monotonic. */
  now(): number;
}

interface Entry {
  readonly id: string;
  readonly speak: Speak;
  readonly abort: AbortController;
  readonly acceptedMs: number;
  /** When its speech was asked for, when the first of it came, when nothing was before it any more. */
  askedMs: number;
  firstMs: number;
  headMs: number | undefined;
  /** Fetched, not yet placed on the session's time. */
  readonly ready: SpeechChunk[];
  /** Placed and not yet sounded to its end, in order. */
  readonly placed: PlacedChunk[];
  fetching: boolean;
  /** Set when no more chunks will come. */
  end: 'complete' | 'failed' | undefined;
  /** What the peer is told when it failed. */
  error: string | undefined;
  hasSounded: boolean;
  /** Samples of `ready` and `placed`. */
  buffered: number;
  /** Wakes the fetching when sound was used up. */
  resume: () => void;
  readonly started: (ms: number | undefined) => void;
  readonly ended: (how: 'spoken' | 'interrupted' | 'failed') => void;
  words: { readonly text: string; readonly start: number; readonly end: number }[];
}

/** The queue of utterances of one session: takes speech as it is synthesised and gives it out 20 ms at a time. */
export class Playout {
  private readonly entries: Entry[] = [];
  /** First sample that has not been given out. */
  private next = 0;
  /** Where the next chunk may be placed. */
  private cursor = 0;
  private tail: Pcm | undefined;
  private closed = false;
  private running = false;

  constructor(
    private readonly listener: PlayoutListener,
    private readonly clock: PlayoutClock,
  ) {}

  /** Utterances that wait or play. */
  get queued(): number {
    return this.entries.length;
  }

  /** Speech is on the wire, or has its time. */
  get isSpeaking(): boolean {
    return this.entries[0] !== undefined && this.entries[0].placed.length > 0;
  }

  /** From now on sound is given out; not before `fromSample`, so that a player has come up when speech begins. */
  start(fromSample: number): void {
    this.running = true;
    this.cursor = fromSample;
    this.lead();
    this.place();
  }

  /** Queues an utterance. */
  speak(id: string, speak: Speak): UtteranceHandle {
    const started = promise<number | undefined>();
    const ended = promise<'spoken' | 'interrupted' | 'failed'>();
    const handle = { id, position: this.entries.length, started: started.promise, ended: ended.promise };
    if (this.closed) {
      started.resolve(undefined);
      ended.resolve('interrupted');
      return handle;
    }
    this.entries.push({
      id,
      speak,
      abort: new AbortController(),
      acceptedMs: this.clock.now(),
      askedMs: 0,
      firstMs: 0,
      headMs: undefined,
      ready: [],
      placed: [],
      fetching: false,
      end: undefined,
      error: undefined,
      hasSounded: false,
      buffered: 0,
      resume: () => undefined,
      started: started.resolve,
      ended: ended.resolve,
      words: [],
    });
    this.lead();
    this.fetch();
    this.tellQueue(id);
    return handle;
  }

  /** Cuts what plays, with a fade in the next packet; `all` also drops what waits. */
  interrupt(scope: 'all' | 'current'): { interrupted: boolean; dropped: number } {
    const current = this.entries[0];
    if (!current) return { interrupted: false, dropped: 0 };
    // Before the connection nothing plays: what waits first is dropped like the rest.
    const interrupted = this.running;
    const gone = scope === 'all' ? this.entries.splice(0) : interrupted ? this.entries.splice(0, 1) : [];
    const sounding = current.placed[0];
    if (sounding && sounding.start < this.next) this.tail = fadeOut(sounding, this.next);
    for (const entry of gone) this.drop(entry);
    this.cursor = this.next + (this.tail ? FADE : 0);
    this.listener.onCut(this.next);
    for (const entry of this.entries) unplace(entry);
    this.lead();
    this.fetch();
    this.place();
    this.tellQueue(current.id);
    return { interrupted, dropped: gone.length - (interrupted ? 1 : 0) };
  }

  /**
   * Writes the next {@link AUDIO_FRAME} samples into `out` and moves on. Returns whether there is speech in them.
   * Events of these samples are told now: this is when they go out.
   */
  pull(out: Pcm): boolean {
    const from = this.next;
    const to = from + AUDIO_FRAME;
    out.fill(0);
    this.next = to;
    let sounds = false;
    if (this.tail) {
      out.set(this.tail);
      this.tail = undefined;
      sounds = true;
    }
    for (let entry = this.entries[0]; entry; entry = this.entries[0]) {
      if (this.mixIn(entry, out, from)) sounds = true;
      if (entry.placed.length > 0 || entry.ready.length > 0 || entry.end === undefined) break;
      this.finish(entry);
    }
    this.place();
    return sounds;
  }

  /** Drops everything without a sound. Idempotent. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const entry of this.entries.splice(0)) {
      entry.abort.abort(new Error('the session has closed'));
      entry.resume();
      entry.started(undefined);
      entry.ended('interrupted');
    }
  }

  private mixIn(entry: Entry, out: Pcm, from: number): boolean {
    let sounds = false;
    while (entry.placed[0] && entry.placed[0].start < from + AUDIO_FRAME) {
      const { start, chunk } = entry.placed[0];
      if (!entry.hasSounded) this.begin(entry, start);
      const skip = Math.max(0, from - start);
      const at = Math.max(0, start - from);
      const part = chunk.samples.subarray(skip, skip + AUDIO_FRAME - at);
      for (let n = 0; n < part.length; n++) out[at + n]! += part[n]!;
      sounds ||= part.length > 0;
      if (start + chunk.samples.length > from + AUDIO_FRAME) break;
      entry.placed.shift();
      entry.buffered -= chunk.samples.length;
      entry.resume();
    }
    while (entry.words[0] && entry.words[0].start < from + AUDIO_FRAME) this.tellWord(entry, entry.words.shift()!);
    return sounds;
  }

  private begin(entry: Entry, start: number): void {
    entry.hasSounded = true;
    const firstSoundMs = this.clock.now() - entry.acceptedMs;
    entry.started(firstSoundMs);
    this.listener.onBegun({
      firstSoundMs,
      synthesisMs: entry.firstMs - entry.askedMs,
      queueMs: (entry.headMs ?? entry.acceptedMs) - entry.acceptedMs,
    });
    this.listener.onEvent({ type: 'speech.started', id: entry.id, at: toMs(start) });
  }

  private tellWord(entry: Entry, word: Entry['words'][number]): void {
    const start = toMs(word.start);
    this.listener.onEvent({
      type: 'speech.word',
      id: entry.id,
      at: start,
      text: word.text,
      start,
      end: toMs(word.end),
    });
  }

  private finish(entry: Entry): void {
    this.entries.shift();
    entry.started(undefined);
    const failed = entry.end === 'failed';
    entry.ended(failed ? 'failed' : 'spoken');
    const told = { id: entry.id, at: toMs(this.next) };
    const why = entry.error === undefined ? {} : { error: entry.error };
    this.listener.onEvent(
      failed ? { type: 'speech.interrupted', ...told, reason: 'failed', ...why } : { type: 'speech.ended', ...told },
    );
    this.cursor = Math.max(this.cursor, this.next) + (entry.hasSounded ? BREATH : 0);
    this.lead();
    this.fetch();
    this.tellQueue(entry.id);
  }

  private drop(entry: Entry): void {
    entry.abort.abort(new Error('interrupted'));
    entry.resume();
    entry.started(undefined);
    entry.ended('interrupted');
    this.listener.onEvent({
      type: 'speech.interrupted',
      id: entry.id,
      at: toMs(this.next),
      reason: 'interrupted',
    });
  }

  /** Notes when nothing is before the first utterance any more. */
  private lead(): void {
    const entry = this.entries[0];
    if (entry && this.running) entry.headMs ??= this.clock.now();
  }

  /** Gives the fetched chunks of the first utterance their time. */
  private place(): void {
    const entry = this.entries[0];
    if (!entry || !this.running) return;
    for (let chunk = entry.ready.shift(); chunk; chunk = entry.ready.shift()) {
      // Once behind (the start, or synthesis too slow) the mouth needs its lead again.
      const start = this.cursor <= this.next ? this.next + LEAD : this.cursor;
      const placed = { start, chunk };
      const shift = start - chunk.start;
      entry.placed.push(placed);
      for (const word of chunk.marks.words) {
        entry.words.push({ text: word.text, start: word.start + shift, end: word.end + shift });
      }
      this.cursor = start + chunk.samples.length;
      this.listener.onPlaced(placed);
    }
  }

  /** Fetches the first two utterances. */
  private fetch(): void {
    for (const entry of this.entries.slice(0, 2)) {
      if (entry.fetching) continue;
      entry.fetching = true;
      void this.fetchAll(entry);
    }
  }

  /** Never rejects: whatever a synthesizer throws becomes the utterance's end. */
  private async fetchAll(entry: Entry): Promise<void> {
    const { signal } = entry.abort;
    entry.askedMs = this.clock.now();
    try {
      for await (const chunk of entry.speak(signal)) {
        if (signal.aborted) return;
        if (entry.firstMs === 0) entry.firstMs = this.clock.now();
        if (chunk.samples.length > 0) {
          entry.ready.push(chunk);
          entry.buffered += chunk.samples.length;
        }
        if (entry === this.entries[0]) this.place();
        while (entry.buffered > AHEAD && !signal.aborted) {
          await new Promise<void>((resolve) => {
            entry.resume = resolve;
          });
        }
        if (signal.aborted) return;
      }
      entry.end = 'complete';
    } catch (error) {
      if (signal.aborted) return;
      entry.end = 'failed';
      entry.error = error instanceof SpeechError ? error.message : 'The text could not be spoken.';
      this.listener.onFailure(entry.id, error);
    }
  }

  private tellQueue(id: string): void {
    const ids = this.entries.map((entry) => entry.id);
    this.listener.onEvent({ type: 'queue', id, at: toMs(this.next), ids });
  }
}

/** Takes an utterance's chunks off the session's time; none of it has sounded. */
function unplace(entry: Entry): void {
  entry.ready.unshift(...entry.placed.splice(0).map(({ chunk }) => chunk));
  entry.words = [];
}

/** What is left of a sounding chunk at `sample`, fading to silence. */
function fadeOut({ start, chunk }: PlacedChunk, sample: number): Pcm {
  const rest = chunk.samples.slice(sample - start, sample - start + FADE);
  for (let n = 0; n < rest.length; n++) rest[n]! *= 0.5 + 0.5 * Math.cos((Math.PI * (n + 1)) / rest.length);
  return rest;
}

function toMs(sample: number): number {
  return Math.round((sample * 1000) / SAMPLE_RATE);
}

function promise<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const made = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise: made, resolve };
}
