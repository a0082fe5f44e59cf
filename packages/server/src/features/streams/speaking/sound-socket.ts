import type { WebSocket } from '@fastify/websocket';
import { MAX_SOUND_SECONDS, PIECE_SECONDS, SOUND_RATES } from '@figurehead/contract';
import { SAMPLE_BYTES } from '@figurehead/media';
import type { Logger } from 'pino';
import { ApiError, invalidFields } from '../../../kernel/errors.js';
import type { Http } from '../../../kernel/http/contract.js';
import { closeSocket } from '../../../kernel/http/sockets.js';
import { Bell } from '../../../kernel/waiting.js';
import { HostRefusal } from '../host/host-protocol.js';
import type { Streams } from '../streams.js';
import { SoundFeed } from './sound-feed.js';

// client → server: binary messages of PCM; the text {"type":"end"}
// server → client: {"type":"started","id","position","limit"} once, then {"type":"ack","received","limit"}: seconds that were taken, and that may have been
// sent in all. The server closes with 1000 after the end, else with a code of RFC 6455 section 7.4.1 and a reason.

/** Codes of a close. */
const CLOSE = { done: 1000, badData: 1007, policy: 1008, tooLong: 1009, failed: 1011 } as const;
/** How often a sender learns how much it may send, and a silent one is noticed, ms. */
const TURN_MS = 1000;

interface Problem {
  readonly code: number;
  readonly reason: string;
}

/** Serves `GET /streams/sound/{streamId}?sampleRate=` as a WebSocket: sound that is spoken as one utterance while it arrives. */
export function serveSoundSocket(http: Http, streams: Streams): void {
  http.bindSocket('/streams/sound/:streamId', {
    async open({ caller, params, query, log }) {
      const stream = await streams.load(caller, params['streamId'] ?? '');
      const sampleRate = SOUND_RATES.find((rate) => String(rate) === query['sampleRate']);
      if (sampleRate === undefined) {
        throw invalidFields([{ field: 'sampleRate', message: `must be one of ${SOUND_RATES.join(', ')}` }]);
      }
      const feed = await SoundFeed.open(streams, stream, sampleRate);
      return (socket) => void new SoundSocket(socket, feed, log.child({ streamId: stream.id })).run();
    },
  });
}

/** One WebSocket of sound until its end. */
class SoundSocket {
  #parts: Buffer[] = [];
  #receivedBytes = 0;
  #isLast = false;
  #heardMs = performance.now();
  #problem: Problem | undefined;
  readonly #bell = new Bell();

  constructor(
    private readonly socket: WebSocket,
    private readonly feed: SoundFeed,
    private readonly log: Logger,
  ) {
    // The server of sockets gives each message as one buffer.
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary));
    // What a sender said before it died is spoken.
    socket.on('close', () => this.#end());
  }

  /** Never rejects. */
  async run(): Promise<void> {
    try {
      const { id, position, limitSeconds: limit } = this.feed;
      this.#tell({ type: 'started', id, position, limit });
      await this.#pass();
      this.#close(this.#problem ?? { code: CLOSE.done, reason: 'all sound was received' });
    } catch (error) {
      this.#close(problemOf(error));
      if (!(error instanceof ApiError || error instanceof HostRefusal)) this.log.warn({ err: error }, 'sound was lost');
    }
  }

  async #pass(): Promise<void> {
    let told = this.feed.limitSeconds;
    for (let isLast = false; !isLast; ) {
      if (this.#parts.length === 0 && !this.#isLast) await this.#bell.heard(TURN_MS);
      if (performance.now() - this.#heardMs > 1000 * PIECE_SECONDS && this.#mayBeHeard()) {
        this.#problem = { code: CLOSE.policy, reason: `no sound came for ${PIECE_SECONDS} s` };
        this.#end();
      }
      const pcm = Buffer.concat(this.#parts.splice(0));
      isLast = this.#isLast;
      await this.feed.send(pcm, isLast);
      const { takenSeconds: received, limitSeconds: limit } = this.feed;
      if (pcm.length > 0 || limit > told) this.#tell({ type: 'ack', received, limit });
      told = limit;
    }
  }

  /** A sender that has used up its limit waits rightly. */
  #mayBeHeard(): boolean {
    return this.feed.secondsOf(this.#receivedBytes) < this.feed.limitSeconds - 0.1;
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#isLast) return;
    this.#heardMs = performance.now();
    const isOver = !isBinary && isEnd(data.toString());
    const problem = isOver ? undefined : this.#judge(data, isBinary);
    // What came before a problem is spoken.
    this.#problem ??= problem;
    if (isOver || problem !== undefined) {
      this.#end();
      return;
    }
    this.#receivedBytes += data.length;
    this.#parts.push(data);
    this.#bell.ring();
  }

  #judge(pcm: Buffer, isBinary: boolean): Problem | undefined {
    if (!isBinary) return { code: CLOSE.badData, reason: 'expected binary messages of PCM or {"type":"end"}' };
    if (pcm.length % SAMPLE_BYTES !== 0) {
      return { code: CLOSE.badData, reason: `expected whole samples of 16 bits, got ${pcm.length} bytes` };
    }
    const seconds = this.feed.secondsOf(this.#receivedBytes + pcm.length);
    if (seconds > MAX_SOUND_SECONDS) {
      return { code: CLOSE.tooLong, reason: `the sound is longer than ${MAX_SOUND_SECONDS} s` };
    }
    const { limitSeconds } = this.feed;
    if (seconds <= limitSeconds) return undefined;
    const reason = `too fast: ${seconds.toFixed(1)} s were sent, the limit was ${limitSeconds.toFixed(1)} s`;
    return { code: CLOSE.policy, reason };
  }

  #end(): void {
    this.#isLast = true;
    this.#bell.ring();
  }

  #tell(message: object): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(message));
  }

  #close({ code, reason }: Problem): void {
    this.#isLast = true;
    closeSocket(this.socket, code, reason);
  }
}

function isEnd(message: string): boolean {
  try {
    const { type } = JSON.parse(message) as { type?: unknown };
    return type === 'end';
  } catch {
    return false;
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof HostRefusal) return { code: CLOSE.policy, reason: error.message };
  if (error instanceof ApiError) return { code: CLOSE.policy, reason: error.message };
  return { code: CLOSE.failed, reason: 'the server failed' };
}
