import { type Viseme, visemeOf } from '@figurehead/presenter/face';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import type { Pcm } from '../../audio.js';
import { type NamedMark, type PhonemeMark, type SpeechChunk, SpeechError } from '../../speech/contract.js';
import type { LiveEvent, Speak, UtteranceHandle } from '../contract.js';
import { AUDIO_FRAME } from './media-clock.js';

/*
 * An utterance: waiting → fetched (its sentences come in) → playing → spoken | interrupted | failed.
 * The first of the queue plays or is about to play. The first two are fetched; the others wait.
 */

/** Samples of speech prefetched per utterance. Back-pressure stops synthesis beyond it, so that long texts take little memory. */
const AHEAD = 6 * SAMPLE_RATE;
/** Pause between two utterances. */
const BREATH = 0.15 * SAMPLE_RATE;
/** An interruption fades out over this many samples (8 ms), so that it does not click. */
const FADE = 384;

/** A chunk of speech and its start in samples of the media clock. One without samples only moves the mouth. */
export interface PlacedChunk {
  readonly start: number;
  readonly chunk: SpeechChunk;
}

export interface PlayoutListener {
  /** Speech is scheduled: the face can animate it. */
  onPlaced(placed: PlacedChunk): void;
  /** Speech scheduled at or after `sample` is cancelled. */
  onCut(sample: number): void;
  /** An event for the peer, at the time of its sound. */
  onEvent(event: LiveEvent): void;
  /** An utterance's synthesis failed. */
  onFailure(id: string, error: unknown): void;
  /** An utterance's first sample is being sent. */
  onBegun(timing: UtteranceTiming): void;
}

/** Where the time went between an utterance's acceptance and its first sample, ms. */
export interface UtteranceTiming {
  readonly firstSoundMs: number;
  /** From the start of synthesis to its first chunk. Synthesis starts while the utterance before still plays. */
  readonly synthesisMs: number;
  /** Time behind other speech or until the connection. */
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
  /** Times, ms: synthesis started, the first chunk came, it became the first of the queue. */
  askedMs: number;
  firstMs: number;
  headMs: number | undefined;
  /** Fetched, not yet scheduled on the media clock. */
  readonly ready: SpeechChunk[];
  /** Scheduled and not yet played to the end, in order. */
  readonly placed: PlacedChunk[];
  fetching: boolean;
  /** Set when no more chunks will come. */
  end: 'complete' | 'failed' | undefined;
  /** The failure as the peer sees it. */
  error: string | undefined;
  hasSounded: boolean;
  /** Samples that were sent. */
  played: number;
  /** Samples of `ready` and `placed`. */
  buffered: number;
  /** Resumes fetching after samples were played. */
  resume: () => void;
  readonly started: (ms: number | undefined) => void;
  readonly ended: (how: 'spoken' | 'interrupted' | 'failed') => void;
  /** Mouth shapes that were not told, as `words`. */
  visemes: { readonly viseme: Viseme; readonly start: number; end: number }[];
  words: { readonly text: string; readonly start: number; readonly end: number }[];
  named: NamedMark[];
}

/** The queue of utterances of one session: takes speech as it is synthesised and returns it 20 ms at a time. */
export class PlayoutQueue {
  private readonly entries: Entry[] = [];
  /** First sample that has not been played. */
  private next = 0;
  /** First sample at which the next chunk may start. */
  private cursor = 0;
  private tail: Pcm | undefined;
  private closed = false;
  private running = false;
  private held = false;
  /** The mouth prepares to speak until this sample. */
  private preparedUntil = 0;

  constructor(
    private readonly listener: PlayoutListener,
    private readonly clock: PlayoutClock,
  ) {}

  /** Utterances that wait or play. */
  get queued(): number {
    return this.entries.length;
  }

  /** Speech is being sent, is scheduled on the media clock, or is held, or the mouth prepares for it. */
  get isSpeaking(): boolean {
    if (this.next < this.preparedUntil) return true;
    return this.entries[0] !== undefined && (this.held || this.entries[0].placed.length > 0);
  }

  /** Starts playback. Speech starts at `fromSample` at the earliest, so that the player is running by then. */
  start(fromSample: number): void {
    this.running = true;
    this.cursor = fromSample;
    this.noteHead();
    this.place();
  }

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
      visemes: [],
      played: 0,
      words: [],
      named: [],
    });
    this.noteHead();
    this.fetch();
    this.emitQueue(id);
    return handle;
  }

  /** Stops the playing utterance with a fade in the next packet; `all` also drops the queued ones. */
  interrupt(scope: 'all' | 'current'): { interrupted: boolean; dropped: number } {
    const current = this.entries[0];
    if (!current) return { interrupted: false, dropped: 0 };
    // Before the connection nothing plays, so the first of the queue counts as dropped, not as interrupted.
    const interrupted = this.running;
    const gone = scope === 'all' ? this.entries.splice(0) : interrupted ? this.entries.splice(0, 1) : [];
    const playing = current.placed[0];
    if (playing && playing.start < this.next) this.tail = fadeOut(playing, this.next);
    for (const entry of gone) this.drop(entry);
    this.cursor = this.next + (this.tail ? FADE : 0);
    this.preparedUntil = 0;
    this.listener.onCut(this.next);
    for (const entry of this.entries) unplace(entry);
    this.noteHead();
    this.fetch();
    this.place();
    this.emitQueue(current.id);
    return { interrupted, dropped: gone.length - (interrupted ? 1 : 0) };
  }

  /** Pauses speech with a fade in the next packet, until `release`; later utterances wait too. Events of the unplayed part wait. */
  hold(): void {
    const entry = this.entries[0];
    if (this.held) return;
    this.held = true;
    if (!entry) return;
    const playing = entry.placed[0];
    if (playing && playing.start < this.next) {
      this.tail = fadeOut(playing, this.next);
      entry.placed[0] = { start: this.next, chunk: restOf(playing, this.next) };
      entry.buffered -= this.next - playing.start;
    }
    if (playing) this.cursor = Math.max(playing.start, this.next);
    this.listener.onCut(this.next);
    unplace(entry);
  }

  /** Continues held speech where it stopped. Does nothing to speech that is not held. */
  release(): void {
    if (!this.held) return;
    this.held = false;
    this.cursor = Math.max(this.cursor, this.next);
    this.place();
  }

  /**
   * Writes the next {@link AUDIO_FRAME} samples into `out`. Returns true when they contain speech.
   * Emits the events of these samples, because the samples are sent now.
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

  /** Drops all utterances without events. Idempotent. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const entry of this.entries.splice(0)) stop(entry, 'the session has closed');
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
      this.advance(entry, part.length);
      if (start + chunk.samples.length > from + AUDIO_FRAME) break;
      entry.placed.shift();
      entry.buffered -= chunk.samples.length;
      entry.resume();
    }
    while (entry.named[0] && entry.named[0].at < from + AUDIO_FRAME) {
      const { name, at } = entry.named.shift()!;
      this.listener.onEvent({ type: 'speech.mark', id: entry.id, at: toMs(at), name });
    }
    const to = from + AUDIO_FRAME;
    while (entry.words[0] && entry.words[0].start < to) {
      const { text, start, end } = entry.words.shift()!;
      const at = toMs(start);
      this.listener.onEvent({ type: 'speech.word', id: entry.id, at, text, start: at, end: toMs(end) });
    }
    while (entry.visemes[0] && entry.visemes[0].start < to) {
      const { viseme, start, end } = entry.visemes.shift()!;
      const at = toMs(start);
      this.listener.onEvent({ type: 'speech.viseme', id: entry.id, at, viseme, start: at, end: toMs(end) });
    }
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

  /** Tells the position after every second of speech. */
  private advance(entry: Entry, samples: number): void {
    const before = entry.played;
    entry.played += samples;
    if (Math.floor(entry.played / SAMPLE_RATE) === Math.floor(before / SAMPLE_RATE)) return;
    this.listener.onEvent({
      type: 'speech.position',
      id: entry.id,
      at: toMs(this.next),
      position: toMs(entry.played),
    });
  }

  private finish(entry: Entry): void {
    this.entries.shift();
    entry.started(undefined);
    const failed = entry.end === 'failed';
    entry.ended(failed ? 'failed' : 'spoken');
    const about = { id: entry.id, at: toMs(this.next), position: toMs(entry.played) };
    const why = entry.error === undefined ? {} : { error: entry.error };
    this.listener.onEvent(
      failed ? { type: 'speech.interrupted', ...about, reason: 'failed', ...why } : { type: 'speech.ended', ...about },
    );
    this.cursor = Math.max(this.cursor, this.next) + (entry.hasSounded ? BREATH : 0);
    this.noteHead();
    this.fetch();
    this.emitQueue(entry.id);
  }

  private drop(entry: Entry): void {
    stop(entry, 'interrupted');
    this.listener.onEvent({
      type: 'speech.interrupted',
      id: entry.id,
      at: toMs(this.next),
      position: toMs(entry.played),
      reason: 'interrupted',
    });
  }

  /** Records when an utterance became the first of the queue. */
  private noteHead(): void {
    const entry = this.entries[0];
    if (entry && this.running) entry.headMs ??= this.clock.now();
  }

  /** Schedules the fetched chunks of the first utterance on the media clock. */
  private place(): void {
    const entry = this.entries[0];
    if (!entry || !this.running || this.held) return;
    for (let chunk = entry.ready.shift(); chunk; chunk = entry.ready.shift()) {
      // The mouth needs no time before the sound: players buffer sound for longer than pictures.
      const start = Math.max(this.cursor, this.next);
      const placed = { start, chunk };
      const shift = start - chunk.start;
      entry.placed.push(placed);
      for (const word of chunk.marks.words) {
        entry.words.push({ text: word.text, start: word.start + shift, end: word.end + shift });
      }
      for (const mark of chunk.marks.phonemes) addViseme(entry.visemes, mark, shift);
      for (const { name, at } of chunk.marks.named ?? []) entry.named.push({ name, at: at + shift });
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

  /** Never rejects: an error of the synthesizer ends the utterance as `failed`. */
  private async fetchAll(entry: Entry): Promise<void> {
    const { signal } = entry.abort;
    entry.askedMs = this.clock.now();
    try {
      for await (const chunk of entry.speak(signal)) {
        if (signal.aborted) return;
        if (chunk.samples.length === 0 && chunk.marks.named === undefined) {
          this.prepare(entry, chunk);
          continue;
        }
        if (entry.firstMs === 0) entry.firstMs = this.clock.now();
        entry.ready.push(chunk);
        entry.buffered += chunk.samples.length;
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

  /** Moves the mouth before the sound of an utterance that plays next. */
  private prepare(entry: Entry, chunk: SpeechChunk): void {
    if (entry !== this.entries[0] || !this.running || this.held || this.cursor > this.next) return;
    this.preparedUntil = this.next + (chunk.marks.phonemes.at(-1)?.end ?? 0) - chunk.start;
    this.listener.onPlaced({ start: this.next, chunk });
  }

  private emitQueue(id: string): void {
    const ids = this.entries.map((entry) => entry.id);
    this.listener.onEvent({ type: 'queue', id, at: toMs(this.next), ids });
  }
}

/** Adds the mouth shape of a phone; one that lasts makes the shape before it longer. */
function addViseme(visemes: Entry['visemes'], { phone, start, end }: PhonemeMark, shift: number): void {
  const viseme = visemeOf(phone);
  const last = visemes.at(-1);
  if (last?.viseme === viseme && last.end === start + shift) last.end = end + shift;
  else visemes.push({ viseme, start: start + shift, end: end + shift });
}

/** Ends the synthesis of an utterance that will not be played to its end. */
function stop(entry: Entry, reason: string): void {
  entry.abort.abort(new Error(reason));
  entry.resume();
  entry.started(undefined);
  entry.ended('interrupted');
}

/** Removes the chunks of an utterance that has not played from the media clock. */
function unplace(entry: Entry): void {
  entry.ready.unshift(...entry.placed.splice(0).map(({ chunk }) => chunk));
  entry.words = [];
  entry.visemes = [];
  entry.named = [];
}

/** A chunk from `sample` on, faded in; words and marks that began before are not repeated. */
function restOf({ start, chunk }: PlacedChunk, sample: number): SpeechChunk {
  const from = chunk.start + sample - start;
  const samples = chunk.samples.slice(sample - start);
  for (let n = 0; n < Math.min(FADE, samples.length); n++) samples[n]! *= 0.5 - 0.5 * Math.cos((Math.PI * n) / FADE);
  const { phonemes, words, named } = chunk.marks;
  const marks = {
    phonemes: phonemes.filter(({ end }) => end > from).map((mark) => ({ ...mark, start: Math.max(mark.start, from) })),
    words: words.filter((word) => word.start >= from),
    ...(named && { named: named.filter(({ at }) => at >= from) }),
  };
  return { start: from, samples, marks };
}

/** The rest of a playing chunk from `sample` on, faded to silence. */
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
