import type { StreamEvent } from '@figurehead/contract';
import type { Figurehead } from './client.js';
import { ConnectionError } from './errors.js';
import { outcomeOf } from './events.js';
import type { TextInPieces } from './text-pieces.js';
import type { SoundRate, SoundSocket } from './transport.js';

/** A piece of any length: mono PCM, signed 16 bit, little-endian. A piece of bytes may end inside a sample. */
export type SoundPiece = Int16Array | Uint8Array | ArrayBuffer;

/** Options of {@link speakSoundPieces}. */
export interface SoundOptions {
  readonly sampleRate: SoundRate;
  /** Ends the sound: what has been sent is spoken. */
  readonly signal?: AbortSignal;
}

/** A sound that is sent in pieces; `sent` also rejects when the server refuses it. */
export interface SpokenSound extends TextInPieces {
  /** Its end; `closed` when the stream ended first. Rejects when the events of the stream can no longer be read. Nothing has to wait for it. */
  readonly finished: Promise<'spoken' | 'interrupted' | 'failed' | 'closed'>;
  /** Silences the presenter, ends this sound, and drops what waits behind it. */
  interrupt(): Promise<{ interrupted: boolean; dropped: number }>;
}

type SoundCalls = Pick<Figurehead, 'openSoundSocket' | 'readStream'>;

const SAMPLE_BYTES = 2;
/** An empty message this often, ms: the server ends a sound when nothing comes for 10 s, and an engine may pause longer. */
const KEEP_ALIVE_MS = 4000;
/** Codes of a close (RFC 6455 section 7.4.1): all was received; the utterance or its stream has ended meanwhile. */
const DONE = 1000;
const ENDED = 1008;

/**
 * Speaks sound while it arrives, such as the answer of a voice model, as one utterance. Takes no more from `sound` than the server has room for (10 s
 * ahead of what is played). Resolves when it is queued.
 * @throws the error of reading the stream when it cannot be opened (`NotFoundError` …), otherwise a `ConnectionError`.
 */
export async function speakSoundPieces(
  client: SoundCalls & Pick<Figurehead, 'watchStream' | 'interrupt'>,
  streamId: string,
  sound: AsyncIterable<SoundPiece>,
  options: SoundOptions,
): Promise<SpokenSound> {
  const watching = new AbortController();
  // From before the beginning: no event is missed.
  const events = await client.watchStream({ streamId }, { signal: watching.signal });
  try {
    const accepted = await sendSound(client, streamId, sound, options);
    const finished = endOf(accepted.id, events).finally(() => watching.abort());
    finished.catch(() => undefined);
    return { ...accepted, finished, interrupt: () => client.interrupt({ streamId }) };
  } catch (error) {
    watching.abort();
    throw error;
  }
}

async function endOf(id: string, events: AsyncIterable<StreamEvent>): Promise<Awaited<SpokenSound['finished']>> {
  for await (const event of events) {
    const outcome = event.id === id ? outcomeOf(event) : undefined;
    if (outcome !== undefined) return outcome;
  }
  return 'closed';
}

/** As {@link speakSoundPieces}, for callers that follow the events of the stream themselves. */
export async function sendSound(
  client: SoundCalls,
  streamId: string,
  sound: AsyncIterable<SoundPiece>,
  { sampleRate, signal }: SoundOptions,
): Promise<TextInPieces> {
  signal?.throwIfAborted();
  const sender = new SoundSender(client.openSoundSocket({ streamId, sampleRate }), sampleRate);
  const accepted = await sender.started;
  if (accepted === undefined) {
    // A WebSocket does not say why it was refused.
    await client.readStream({ streamId });
    throw await sender.failure();
  }
  const sent = sender.sendAll(sound, signal);
  sent.catch(() => undefined);
  return { ...accepted, sent };
}

/** The client's end of one WebSocket of sound. */
class SoundSender {
  /** The utterance; undefined when the socket was refused or closed before. */
  readonly started: Promise<Pick<TextInPieces, 'id' | 'position'> | undefined>;
  readonly #closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #socket: SoundSocket;
  #limitBytes = 0;
  #sentBytes = 0;
  /** The first byte of a sample that a piece cut. */
  #half = new Uint8Array();
  #isOver = false;
  #sourceFailure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor(
    socket: SoundSocket,
    private readonly sampleRate: SoundRate,
  ) {
    this.#socket = socket;
    // A close follows each error and says more.
    socket.addEventListener('error', () => undefined);
    this.#closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => {
        this.#isOver = true;
        this.#wake();
        resolve({ code, reason });
      });
    });
    const told = new Promise<Pick<TextInPieces, 'id' | 'position'>>((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        const { type, id, position, limit } = JSON.parse(String(data)) as ServerMessage;
        // A rounding error must not send one sample too many.
        this.#limitBytes = SAMPLE_BYTES * Math.floor(limit * this.sampleRate - 0.01);
        this.#wake();
        if (type === 'started') resolve({ id, position });
      });
    });
    this.started = Promise.race([told, this.#closed.then(() => undefined)]);
  }

  /** Sends all of it and waits until the server has it. */
  async sendAll(sound: AsyncIterable<SoundPiece>, signal: AbortSignal | undefined): Promise<void> {
    const iterator = sound[Symbol.asyncIterator]();
    const end = () => this.#end();
    const keptAlive = setInterval(() => this.#send(new Uint8Array()), KEEP_ALIVE_MS);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
    void this.#read(iterator).finally(end);
    const { code } = await this.#closed;
    clearInterval(keptAlive);
    signal?.removeEventListener('abort', end);
    // A source that still waits for its next piece ends when that has come.
    void iterator.return?.()?.catch(() => undefined);
    if (this.#sourceFailure !== undefined) throw this.#sourceFailure.error;
    if (code !== DONE && code !== ENDED) throw await this.failure();
  }

  /** Why the socket was closed. */
  async failure(): Promise<ConnectionError> {
    const { code, reason } = await this.#closed;
    const message = `The WebSocket for sound was closed: ${reason || `code ${code}`}.`;
    return new ConnectionError(message, { status: 0, requestId: undefined, method: 'GET', url: '/streams/sound' });
  }

  async #read(iterator: AsyncIterator<SoundPiece>): Promise<void> {
    try {
      for (let next = await iterator.next(); !next.done && !this.#isOver; next = await iterator.next()) {
        await this.#pass(this.#wholeSamples(next.value));
      }
    } catch (error) {
      this.#sourceFailure = { error };
    }
  }

  /** Sends as much as there is room for, until all is sent or the sound is over. */
  async #pass(pcm: Uint8Array): Promise<void> {
    for (let at = 0; at < pcm.length && !this.#isOver; ) {
      const part = pcm.slice(at, at + this.#limitBytes - this.#sentBytes);
      at += part.length;
      if (part.length > 0) this.#send(part);
      else await this.#change();
    }
  }

  /** Resolves when there may be room, or when the sound is over. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #wholeSamples(piece: SoundPiece): Uint8Array {
    const bytes = bytesOf(piece);
    const all = new Uint8Array(this.#half.length + bytes.length);
    all.set(this.#half);
    all.set(bytes, this.#half.length);
    const whole = all.length - (all.length % SAMPLE_BYTES);
    this.#half = all.slice(whole);
    return all.subarray(0, whole);
  }

  #send(part: Uint8Array<ArrayBuffer>): void {
    if (this.#isOver) return;
    this.#sentBytes += part.length;
    this.#socket.send(part);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wake();
    this.#socket.send('{"type":"end"}');
  }
}

/** Messages of the server; `limit` in seconds. */
interface ServerMessage extends Pick<TextInPieces, 'id' | 'position'> {
  readonly type: 'started' | 'ack';
  readonly limit: number;
}

function bytesOf(piece: SoundPiece): Uint8Array {
  if (piece instanceof ArrayBuffer) return new Uint8Array(piece);
  if (piece instanceof Int16Array || piece instanceof Uint8Array) {
    return new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength);
  }
  throw new TypeError('Sound must be PCM of 16 bit: an Int16Array, a Uint8Array or an ArrayBuffer.');
}
