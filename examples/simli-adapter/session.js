import { PassThrough } from 'node:stream';
import { speakSoundPieces } from '@figurehead/sdk';

/** The format of simli-client: mono PCM, 16 bit. */
const SAMPLE_RATE = 16_000;
const BYTES_PER_SECOND = 2 * SAMPLE_RATE;
/** The sound of an utterance ends after this time without data. */
const PAUSE_MS = 500;
/** Figurehead accepts ten minutes per utterance; sound without a pause continues in another utterance. */
const MAX_BYTES = 590 * BYTES_PER_SECOND;
/** Maximum waiting sound. */
const MAX_WAITING_BYTES = 600 * BYTES_PER_SECOND;
const IMMEDIATE = Buffer.from('PLAY_IMMEDIATE');

// page → adapter: {"type":"offer","sdp"}; binary PCM, also after `PLAY_IMMEDIATE`; SKIP; DONE
// adapter → page: {"type":"answer","sdp"}; START; ACK for each message of sound; SPEAK, SILENT; STOP; ERROR: …

/** One page's session: a stream of Figurehead as long as its WebSocket is open. */
export class SimliSession {
  #streamId;
  /** The current utterance: `sound`, a stream of bytes, and `stop`, an AbortController. */
  #open;
  #pause;
  #idle;
  /** Runs the calls that change the speech one after the other. */
  #calls = Promise.resolve();

  /** @param settings `{ client, figurehead, token, avatarCode, maxSessionLength, maxIdleTime }`; both in seconds */
  constructor(socket, settings) {
    this.socket = socket;
    this.settings = settings;
    this.limit = setTimeout(() => this.#stop(), 1000 * settings.maxSessionLength);
    this.#waitForSound();
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('error', (error) => console.error(error.message));
    socket.on('close', () => this.#close());
  }

  #receive(data, isBinary) {
    if (isBinary) return this.#takeSound(data);
    const message = data.toString();
    if (message === 'SKIP') return this.#skip();
    if (message === 'DONE') return this.socket.close();
    this.#connect(message).catch((error) => this.#fail(error));
  }

  async #connect(offer) {
    if (this.#streamId !== undefined) throw new Error('there was an offer before');
    const { figurehead, token, avatarCode, client } = this.settings;
    const answer = await fetch(`${figurehead}/api/v1/whep?${new URLSearchParams({ avatarCode })}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/sdp' },
      body: JSON.parse(offer).sdp,
    });
    const sdp = await answer.text();
    if (!answer.ok) throw new Error(sdp);
    this.#streamId = answer.headers.get('location').split('/').at(-1);
    // The page has left meanwhile.
    if (this.socket.readyState !== this.socket.OPEN) return this.#close();
    this.#tell(JSON.stringify({ type: 'answer', sdp }));
    this.#tell('START');
    await this.#follow(await client.watchStream({ streamId: this.#streamId }));
  }

  async #follow(events) {
    let playing;
    for await (const { type, id } of events) {
      if (type === 'speech.started') {
        playing = id;
        this.#tell('SPEAK');
      } else if (id === playing && (type === 'speech.ended' || type === 'speech.interrupted')) this.#tell('SILENT');
    }
    this.#stop();
  }

  #takeSound(data) {
    const isImmediate = data.subarray(0, IMMEDIATE.length).equals(IMMEDIATE);
    if (isImmediate) this.#skip();
    const pcm = isImmediate ? data.subarray(IMMEDIATE.length) : data;
    if (this.#streamId === undefined) return;
    this.#open ??= this.#speak();
    const { sound } = this.#open;
    if (sound.readableLength + sound.writableLength > MAX_WAITING_BYTES) return this.#fail(new Error('too much sound'));
    sound.write(pcm);
    this.#open.bytes += pcm.length;
    if (this.#open.bytes > MAX_BYTES) this.#endUtterance();
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#endUtterance(), PAUSE_MS);
    this.#waitForSound();
    this.#tell('ACK');
  }

  /** Opens an utterance. Its sound may be written immediately. */
  #speak() {
    const utterance = { sound: new PassThrough(), stop: new AbortController(), bytes: 0 };
    const { signal } = utterance.stop;
    // The sender destroys it with the utterance.
    utterance.sound.on('error', () => {
      if (this.#open === utterance) this.#open = undefined;
    });
    this.#call(async () => {
      if (signal.aborted) return;
      const options = { sampleRate: SAMPLE_RATE, signal };
      const spoken = await speakSoundPieces(this.settings.client, this.#streamId, utterance.sound, options);
      spoken.sent.catch((error) => this.#fail(error));
    });
    return utterance;
  }

  #endUtterance() {
    this.#open?.sound.end();
    this.#open = undefined;
  }

  #skip() {
    this.#open?.stop.abort();
    this.#open = undefined;
    if (this.#streamId !== undefined) this.#call(() => this.settings.client.interrupt({ streamId: this.#streamId }));
  }

  #call(act) {
    this.#calls = this.#calls.then(act).catch((error) => this.#fail(error));
  }

  #waitForSound() {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#stop(), 1000 * this.settings.maxIdleTime);
  }

  #tell(message) {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(message);
  }

  #fail(error) {
    // After the end, calls find no stream.
    if (this.socket.readyState !== this.socket.OPEN) return;
    console.error(error.message);
    this.#tell(`ERROR: ${error.message}`);
    this.socket.close();
  }

  #stop() {
    this.#tell('STOP');
    this.socket.close();
  }

  #close() {
    for (const timer of [this.limit, this.#idle, this.#pause]) clearTimeout(timer);
    this.#open?.stop.abort();
    const streamId = this.#streamId;
    if (streamId === undefined) return;
    // It may have ended, which is why the page was closed.
    this.settings.client.closeStream({ streamId }).catch((error) => console.error(error.message));
  }
}
