import { MAX_SOUND_QUEUE, MAX_STREAM_QUEUE, MAX_STREAM_QUEUE_TEXT } from '@figurehead/contract';
import type { LiveSession, Speak, Speech, SpeechChunk, UtteranceHandle } from '@figurehead/media';
import type { Kernel } from '../../../kernel/contract.js';
import { HostRefusal, type Piece, type SoundMessage, type SoundRequest, type SpeechRequest } from './host-protocol.js';
import { OpenSound, OpenText } from './open-utterance.js';

/** Utterances that took pieces and have ended: a repeated last piece is accepted, others learn why it ended. */
const MOST_REMEMBERED = 2 * MAX_STREAM_QUEUE;

/** What an utterance is spoken with. */
interface SpeechParts {
  readonly session: LiveSession;
  readonly kernel: Pick<Kernel, 'ids' | 'clock' | 'log'>;
  readonly speech: Speech;
}

interface Queued {
  readonly utterance: UtteranceHandle;
  readonly content: 'text' | 'sound';
  /** Characters of its text so far. */
  readonly characters: () => number;
}

/** What is said on one session: utterances that play or wait, in order. */
export class SessionSpeech {
  readonly #queue: Queued[] = [];
  /** Utterances that arrive or arrived in pieces, oldest first. */
  readonly #open = new Map<string, OpenText | OpenSound>();

  constructor(private readonly parts: SpeechParts) {}

  /** Utterances that play or wait. */
  get length(): number {
    return this.#queue.length;
  }

  /** The utterance that plays or is next. */
  get current(): UtteranceHandle | undefined {
    return this.#queue[0]?.utterance;
  }

  /** Queues a text. Throws `HostRefusal('queue_full')`. */
  speak({ text, voice }: SpeechRequest): UtteranceHandle {
    this.#requirePlace();
    this.#requireRoom(text.length);
    const { provider, ...options } = voice;
    return this.#enqueue({ content: 'text', characters: () => text.length }, (signal) =>
      this.#logged(voice, signal, this.parts.speech.synthesize(provider, text, { ...options, signal })),
    );
  }

  /** Queues a text that arrives in pieces; the request has its beginning. Throws `HostRefusal('queue_full')`. */
  openText({ text, voice }: SpeechRequest): UtteranceHandle {
    this.#requirePlace();
    const { provider, ...options } = voice;
    const { clock } = this.parts.kernel;
    const open = new OpenText({ locale: voice.locale, now: clock.monotonic() }, (characters) =>
      this.#requireRoom(characters),
    );
    open.add(text);
    const utterance = this.#enqueue({ content: 'text', characters: () => open.characters }, (signal) =>
      this.#logged(voice, signal, this.parts.speech.synthesizeArriving(provider, open.text, { ...options, signal })),
    );
    return this.#follow(utterance, open);
  }

  /** Throws `HostRefusal`: `utterance_ended`, `queue_full`, `bad_index`, `bad_text`. */
  appendText({ utteranceId, text, ...piece }: Piece): void {
    const open = this.#openOf(utteranceId, OpenText);
    open.append({ ...piece, content: text }, this.parts.kernel.clock.monotonic());
  }

  /** Queues sound that arrives in pieces. Throws `HostRefusal('queue_full')`. */
  openSound(request: SoundRequest): UtteranceHandle {
    return this.openArriving(request).utterance;
  }

  /** As {@link openSound}, for sound that arrives here. @param aheadSeconds that may wait to be played. */
  openArriving(
    { sampleRate }: SoundRequest,
    aheadSeconds?: number,
  ): { readonly utterance: UtteranceHandle; readonly sound: OpenSound } {
    this.#requirePlace();
    if (this.#queue.filter(({ content }) => content === 'sound').length >= MAX_SOUND_QUEUE) throw this.#full();
    const sound = new OpenSound({ sampleRate, now: this.parts.kernel.clock.monotonic() }, aheadSeconds);
    const utterance = this.#enqueue({ content: 'sound', characters: () => 0 }, (signal) => sound.sound.chunks(signal));
    return { utterance: this.#follow(utterance, sound), sound };
  }

  /** Throws `HostRefusal`: `utterance_ended`, `bad_index`, `bad_sound`, `sound_too_fast`, `sound_too_long`. @returns seconds that may be sent now. */
  appendSound({ utteranceId, pcm, ...piece }: SoundMessage): number {
    const open = this.#openOf(utteranceId, OpenSound);
    open.append({ ...piece, content: Buffer.from(pcm, 'base64') }, this.parts.kernel.clock.monotonic());
    return open.roomSeconds;
  }

  /** Ends the utterances whose senders fell silent. */
  expire(): void {
    const now = this.parts.kernel.clock.monotonic();
    for (const open of this.#open.values()) open.expire(now);
  }

  /** Takes no more pieces: what has come is spoken. */
  endOpen(reason: string): void {
    for (const open of this.#open.values()) open.end(reason);
  }

  #openOf<Kind extends OpenText | OpenSound>(id: string, kind: new (...options: never[]) => Kind): Kind {
    const open = this.#open.get(id);
    if (open instanceof kind) return open;
    throw new HostRefusal('utterance_ended', 'it is unknown, or ended long ago');
  }

  #follow(utterance: UtteranceHandle, open: OpenText | OpenSound): UtteranceHandle {
    this.#open.set(utterance.id, open);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST_REMEMBERED && oldest !== undefined) this.#open.delete(oldest);
    void utterance.ended.then((how) => {
      open.end(`it was ${how}`);
      if (open instanceof OpenSound) open.sound.discard();
    });
    return utterance;
  }

  #requirePlace(): void {
    if (this.#queue.length >= MAX_STREAM_QUEUE) throw this.#full();
  }

  #requireRoom(more: number): void {
    const waiting = this.#queue.reduce((sum, { characters }) => sum + characters(), 0);
    if (waiting + more > MAX_STREAM_QUEUE_TEXT) throw this.#full();
  }

  #full(): HostRefusal {
    return new HostRefusal('queue_full', `${this.#queue.length} utterances are queued on this stream`);
  }

  async *#logged({ provider, voice }: SpeechRequest['voice'], signal: AbortSignal, chunks: AsyncIterable<SpeechChunk>) {
    const { session, kernel } = this.parts;
    try {
      yield* chunks;
    } catch (error) {
      if (!signal.aborted) kernel.log.warn({ err: error, streamId: session.id, provider, voice }, 'speech failed');
      throw error;
    }
  }

  #enqueue(about: Omit<Queued, 'utterance'>, speak: Speak): UtteranceHandle {
    const { session, kernel } = this.parts;
    const utterance = session.speak(kernel.ids.next(), speak);
    const queued = { ...about, utterance };
    this.#queue.push(queued);
    void utterance.ended.then(() => this.#queue.splice(this.#queue.indexOf(queued), 1));
    return utterance;
  }
}
