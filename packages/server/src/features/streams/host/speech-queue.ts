import { MAX_SOUND_QUEUE, MAX_STREAM_QUEUE, MAX_STREAM_QUEUE_TEXT } from '@figurehead/contract';
import type { LiveSession, UtteranceHandle } from '@figurehead/media';
import { HostRefusal } from './host-protocol.js';
import { type HostUtterance, OpenSound, type OpenText, OpenUtterance } from './utterance.js';

/** Utterances that took pieces and have ended: a repeated last piece is accepted, others learn why it ended. */
const MOST_REMEMBERED = 2 * MAX_STREAM_QUEUE;

/** What is said on one session: utterances that play or wait, in order. */
export class SpeechQueue {
  readonly #queue: { readonly utterance: HostUtterance; readonly handle: UtteranceHandle }[] = [];
  /** Utterances that arrive or arrived in pieces, oldest first. */
  readonly #open = new Map<string, OpenUtterance<never>>();

  #hasForeignSound = false;

  constructor(private readonly session: Pick<LiveSession, 'speak'>) {}

  /** Whether sound was sent to it, not only texts. */
  get hasForeignSound(): boolean {
    return this.#hasForeignSound;
  }

  /** Utterances that play or wait. */
  get length(): number {
    return this.#queue.length;
  }

  /** The utterance that plays or is next. */
  get current(): UtteranceHandle | undefined {
    return this.#queue[0]?.handle;
  }

  /** Queues an utterance. Throws `HostRefusal('queue_full')`. */
  add(id: string, utterance: HostUtterance): UtteranceHandle {
    const { content, characters } = utterance;
    const sounds = this.#queue.filter((queued) => queued.utterance.content === 'sound').length;
    if (this.#queue.length >= MAX_STREAM_QUEUE || (content === 'sound' && sounds >= MAX_SOUND_QUEUE))
      throw this.#full();
    this.requireRoom(characters);
    this.#hasForeignSound ||= content === 'sound';
    const handle = this.session.speak(id, utterance.speak);
    const queued = { utterance, handle };
    this.#queue.push(queued);
    void handle.ended.then(() => this.#queue.splice(this.#queue.indexOf(queued), 1));
    if (utterance instanceof OpenUtterance) this.#remember(handle, utterance);
    return handle;
  }

  /** Throws `HostRefusal('queue_full')` when so many more characters may not wait. */
  requireRoom(more: number): void {
    const waiting = this.#queue.reduce((sum, { utterance }) => sum + utterance.characters, 0);
    if (waiting + more > MAX_STREAM_QUEUE_TEXT) throw this.#full();
  }

  /** An utterance that takes pieces. Throws `HostRefusal('utterance_ended')`. */
  find<Kind extends OpenText | OpenSound>(id: string, kind: new (...options: never[]) => Kind): Kind {
    const open: unknown = this.#open.get(id);
    if (open instanceof kind) return open;
    throw new HostRefusal('utterance_ended', 'it is unknown, or ended long ago');
  }

  /** Ends the utterances whose senders fell silent. */
  expire(): void {
    for (const open of this.#open.values()) open.expire();
  }

  /** Takes no more pieces: what has come is spoken. */
  endOpen(reason: string): void {
    for (const open of this.#open.values()) open.end(reason);
  }

  #remember({ id, ended }: UtteranceHandle, open: OpenUtterance<never>): void {
    this.#open.set(id, open);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST_REMEMBERED && oldest !== undefined) this.#open.delete(oldest);
    void ended.then((how) => {
      open.end(`it was ${how}`);
      if (open instanceof OpenSound) open.discard();
    });
  }

  #full(): HostRefusal {
    return new HostRefusal('queue_full', `${this.#queue.length} utterances are queued on this stream`);
  }
}
