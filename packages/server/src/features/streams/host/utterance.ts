import { MAX_SOUND_AHEAD_SECONDS, MAX_SOUND_SECONDS, MAX_STREAM_TEXT, PIECE_SECONDS } from '@figurehead/contract';
import { ArrivingSound, ArrivingText, SAMPLE_BYTES, type Speak, type Speech } from '@figurehead/media';
import { cleanText } from '../speaking/speech.js';
import { HostRefusal, type SoundRequest, type SpeechRequest } from './host-protocol.js';

/** Something to say on a stream: one object from the request to the playout queue. */
export interface HostUtterance {
  readonly content: 'text' | 'sound';
  /** UTF-16 units of its text so far. */
  readonly characters: number;
  readonly speak: Speak;
}

/** A text that came whole. */
export function spokenText(speech: Speech, { text, voice: { provider, ...voice } }: SpeechRequest): HostUtterance {
  const speak: Speak = (signal) => speech.synthesize(provider, text, { ...voice, signal });
  return { content: 'text', characters: text.length, speak };
}

/** A piece by its number. */
interface Numbered<Content> {
  readonly index: number;
  readonly content: Content;
  readonly isLast?: boolean | undefined;
}

// open ──isLast, no piece for 10 s, the stream leaves, speech interrupted──▶ ended

/** An utterance that arrives in pieces. It is ended by its last piece, by `end`, or by silence of its sender. */
export abstract class OpenUtterance<Content> implements HostUtterance {
  abstract readonly content: HostUtterance['content'];
  abstract readonly characters: number;
  abstract readonly speak: Speak;
  #pieces = 0;
  #endedBy: string | undefined;
  #touchedMs: number;

  /** @param now ms; it ends 10 s later unless a piece comes. */
  constructor(private readonly now: () => number) {
    this.#touchedMs = now();
  }

  /** Takes a piece; one that was received before does nothing. Throws `HostRefusal`, also for content that is too much. */
  append({ index, content, isLast = false }: Numbered<Content>): void {
    if (index < this.#pieces) return;
    if (this.#endedBy !== undefined) throw new HostRefusal('utterance_ended', this.#endedBy);
    if (index > this.#pieces)
      throw new HostRefusal('bad_index', `must be ${this.#pieces}, the number of pieces so far`);
    this.add(content);
    this.#pieces += 1;
    this.#touchedMs = this.now();
    if (isLast) this.end('its last piece has come');
  }

  /** Ends it if its sender has been silent for too long. */
  expire(): void {
    if (this.now() - this.#touchedMs >= 1000 * PIECE_SECONDS) this.end(`no piece came for ${PIECE_SECONDS} s`);
  }

  /** Speaks what has come and takes no more. Idempotent. */
  end(reason: string): void {
    if (this.#endedBy !== undefined) return;
    this.#endedBy = reason;
    this.finish();
  }

  /** Throws `HostRefusal` where the content is too much, and has then taken nothing. */
  protected abstract add(content: Content): void;
  protected abstract finish(): void;
}

/** A text that arrives in pieces. */
export class OpenText extends OpenUtterance<string> {
  readonly content = 'text';
  readonly speak: Speak;
  characters = 0;
  readonly #text: ArrivingText;
  readonly #requireRoom: (characters: number) => void;
  #half = '';

  /** @param parts.requireRoom throws when so many more characters may not wait on the stream. */
  constructor(
    { text, voice: { provider, ...voice } }: SpeechRequest,
    parts: { now: () => number; speech: Speech; requireRoom: (characters: number) => void },
  ) {
    super(parts.now);
    this.#requireRoom = parts.requireRoom;
    this.#text = new ArrivingText(voice.locale);
    this.speak = (signal) => parts.speech.synthesizeArriving(provider, this.#text, { ...voice, signal });
    this.add(text);
  }

  /** A surrogate pair that a piece cuts is put together before it is judged. */
  protected add(piece: string): void {
    if (this.characters + piece.length > MAX_STREAM_TEXT) {
      throw new HostRefusal('bad_text', `makes the whole text longer than ${MAX_STREAM_TEXT} characters`);
    }
    this.#requireRoom(piece.length);
    this.characters += piece.length;
    const text = this.#half + piece;
    const isCut = /[\ud800-\udbff]$/.test(text);
    this.#half = isCut ? text.slice(-1) : '';
    this.#text.append(cleanText(isCut ? text.slice(0, -1) : text));
  }

  protected finish(): void {
    this.#text.append(cleanText(this.#half));
    this.#text.end();
  }
}

/** Sound that arrives in pieces: PCM, mono, signed 16 bit, little-endian. */
export class OpenSound extends OpenUtterance<Buffer> {
  readonly content = 'sound';
  readonly characters = 0;
  readonly speak: Speak;
  readonly #sound: ArrivingSound;
  #seconds = 0;

  /** @param aheadSeconds of sound that may wait to be played. */
  constructor(
    { sampleRate }: SoundRequest,
    now: () => number,
    private readonly aheadSeconds: number = MAX_SOUND_AHEAD_SECONDS,
  ) {
    super(now);
    this.#sound = new ArrivingSound(sampleRate);
    this.speak = (signal) => this.#sound.chunks(signal);
  }

  get waitingSeconds(): number {
    return this.#sound.waitingSeconds;
  }

  /** Seconds that may be sent now. */
  get roomSeconds(): number {
    return Math.max(0, this.aheadSeconds - this.waitingSeconds);
  }

  /** It was spoken, or never will be. */
  discard(): void {
    this.#sound.discard();
  }

  protected add(pcm: Buffer): void {
    const seconds = pcm.length / SAMPLE_BYTES / this.#sound.sampleRate;
    if (pcm.length % SAMPLE_BYTES !== 0) {
      throw new HostRefusal('bad_sound', `must have whole samples of ${SAMPLE_BYTES} bytes, not ${pcm.length} bytes`);
    }
    if (this.#seconds + seconds > MAX_SOUND_SECONDS) {
      throw new HostRefusal('sound_too_long', `the sound is longer than ${MAX_SOUND_SECONDS} s`);
    }
    if (seconds > this.roomSeconds) {
      throw new HostRefusal('sound_too_fast', `more than ${this.aheadSeconds} s of the sound wait to be played`);
    }
    this.#seconds += seconds;
    this.#sound.append(pcm);
  }

  protected finish(): void {
    this.#sound.end();
  }
}
