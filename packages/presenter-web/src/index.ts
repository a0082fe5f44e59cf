import { createLiveFace, type LiveFace } from '@figurehead/presenter/face';
import {
  type HeardSpeech,
  openNetwork,
  placeSpeech,
  SoundCutter,
  type StoredNetwork,
} from '@figurehead/presenter/sound';
import { loadFile, openStage, type Stage } from '@figurehead/presenter/stage';
import { HeardClock, RATE } from './clock.js';
import { sentencesOf } from './sentences.js';
import type { TappedSound } from './tap.js';

/** Sound that is made elsewhere: decoded samples of one channel, an `AudioBuffer`, or a file that the browser can decode. */
export type Sound = AudioBuffer | ArrayBuffer | { readonly samples: Float32Array; readonly sampleRate: number };

/** Says a sentence. Several sounds are played one after the other. */
export type Voice = (sentence: string, signal: AbortSignal) => Promise<Sound> | AsyncIterable<Sound>;

/** What is drawn, and where. */
export interface PresenterOptions {
  readonly canvas: HTMLCanvasElement;
  /** Address of a presenter's archive (`half.pack.gz` or `whole.pack.gz` of a Figurehead server); by default the one in this package. */
  readonly pack?: string | URL;
  /** Sides of the picture, px; by default those of the canvas. */
  readonly width?: number;
  readonly height?: number;
  /** `#rgb`, `#rrggbb`, or by default `transparent`. */
  readonly background?: string;
  /** By default `friendly`. */
  readonly expression?: 'neutral' | 'friendly' | 'serious' | 'excited';
  /** Movements without speech, a 32-bit integer; by default others each time. */
  readonly seed?: number;
  /** Turns text into sound, for {@link Presenter.speak} of texts. */
  readonly voice?: Voice;
}

/** Something that is being said. */
export interface Speech {
  /** Rejects with the error of the voice or of the text. */
  readonly finished: Promise<'spoken' | 'interrupted'>;
  /** Silences it; the mouth closes. */
  interrupt(): void;
}

/** A presenter on a canvas. The creator closes it. */
export interface Presenter {
  /**
   * Says a text with the `voice` of the options, sentence by sentence as the text comes; or plays a sound, or a live stream of one until its tracks end,
   * 0.2 s later than it comes, so that the lips fit. What is said before is interrupted. Browsers play sound only after a click or a key.
   */
  speak(what: string | AsyncIterable<string> | Sound | MediaStream | MediaStreamTrack): Speech;
  /** What the presenter does while it does not speak. */
  setState(state: 'idle' | 'listening' | 'thinking'): void;
  close(): Promise<void>;
}

/** Browsers that can play begin within this time. */
const START_MS = 5000;
/** Delay of a live stream: the shapes of a sound are known 0.1 s after it. */
const LIVE_DELAY = 0.2 * RATE;
/** A sound begins this long after it is there: the mouth opens a little earlier. */
const LEAD = 0.15 * RATE;

/**
 * Loads a presenter and shows it, breathing and blinking.
 * @throws Error when a file does not come, or the page is not on https or localhost.
 */
export async function openPresenter(options: PresenterOptions): Promise<Presenter> {
  const context = new AudioContext({ sampleRate: RATE });
  if (!('audioWorklet' in context))
    throw new Error('expected a page on https or localhost, where browsers let pages hear sound');
  try {
    return await openIn(context, options);
  } catch (error) {
    await context.close();
    throw error;
  }
}

async function openIn(context: AudioContext, options: PresenterOptions): Promise<Presenter> {
  const clock = new HeardClock(context);
  const { canvas, width = canvas.width, height = canvas.height } = options;
  const [network] = await Promise.all([
    loadFile(String(new URL('./network.json', import.meta.url))),
    context.audioWorklet.addModule(new URL('./tap.js', import.meta.url)),
  ]);
  const stored = JSON.parse(new TextDecoder().decode(network)) as StoredNetwork;
  let face: LiveFace | undefined;
  const stage = await openStage(
    {
      canvas,
      pack: String(options.pack ?? new URL('./ava.pack.gz', import.meta.url)),
      kernel: String(new URL('./kernel.wasm', import.meta.url)),
      width: width & ~1,
      height: height & ~1,
      background: options.background ?? 'transparent',
      evenIfSlow: true,
    },
    (nowMs) => face?.poseAt(clock.at(nowMs)),
  );
  const seed = options.seed ?? Math.floor(Math.random() * 2 ** 31);
  face = createLiveFace(seed, options.expression ?? 'friendly', stage.motion);
  return new DrawnPresenter({ context, clock, face, stage, stored, voice: options.voice });
}

interface Parts {
  readonly context: AudioContext;
  readonly clock: HeardClock;
  readonly face: LiveFace;
  readonly stage: Stage;
  readonly stored: StoredNetwork;
  readonly voice: Voice | undefined;
}

class DrawnPresenter implements Presenter {
  #speech: Speech | undefined;

  constructor(private readonly parts: Parts) {}

  speak(what: Parameters<Presenter['speak']>[0]): Speech {
    this.#speech?.interrupt();
    const { clock, face } = this.parts;
    const stop = new AbortController();
    const { signal } = stop;
    const stopped = new Promise<'interrupted'>((resolve) => {
      signal.addEventListener('abort', () => resolve('interrupted'));
    });
    // A voice that does not read its signal must not hold up what comes next.
    const finished = Promise.race([this.#play(what, signal).then(() => 'spoken' as const), stopped]);
    const interrupt = (): void => {
      if (signal.aborted || this.#speech !== speech) return;
      stop.abort();
      face.cutAt(clock.at(performance.now()));
    };
    const speech: Speech = { finished, interrupt };
    this.#speech = speech;
    return speech;
  }

  setState(state: 'idle' | 'listening' | 'thinking'): void {
    this.parts.face.setState(state, this.parts.clock.at(performance.now()));
  }

  async close(): Promise<void> {
    this.#speech?.interrupt();
    this.parts.stage.close();
    await this.parts.context.close();
  }

  async #play(what: Parameters<Presenter['speak']>[0], signal: AbortSignal): Promise<void> {
    await this.#start(signal);
    if (what instanceof MediaStream) await this.#listen(what, signal);
    else if (what instanceof MediaStreamTrack) await this.#listen(new MediaStream([what]), signal);
    else if (typeof what === 'string' || Symbol.asyncIterator in what)
      await this.#playAll(this.#say(what, signal), signal);
    else await this.#playAll([what], signal);
  }

  /** Firefox waits without end for a click, and for a loudspeaker. */
  async #start(signal: AbortSignal): Promise<void> {
    const { context } = this.parts;
    const late = AbortSignal.timeout(START_MS);
    const leave = new Promise((resolve) => {
      for (const one of [signal, late]) one.addEventListener('abort', resolve);
    });
    await Promise.race([context.resume(), leave]);
    if (context.state !== 'running' && !signal.aborted)
      throw new Error(
        `expected sound to play within ${START_MS / 1000} s: call speak() after a click or a key, on a machine with a loudspeaker`,
      );
  }

  async *#say(text: string | AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<Sound, void, void> {
    const { voice } = this.parts;
    if (voice === undefined)
      throw new Error('expected a `voice` in the options, which turns text into sound, got none');
    for await (const sentence of sentencesOf(text)) {
      if (signal.aborted) return;
      const said = voice(sentence, signal);
      if (Symbol.asyncIterator in said) yield* said;
      else yield await said;
    }
  }

  /** Plays sounds one after the other; all mouth shapes are known before. */
  async #playAll(sounds: Iterable<Sound> | AsyncIterable<Sound>, signal: AbortSignal): Promise<void> {
    const { context } = this.parts;
    let end = 0;
    let ended: Promise<unknown> = Promise.resolve();
    for await (const sound of sounds) {
      const heard = await this.#decode(sound);
      if (signal.aborted) return;
      if (heard === undefined) continue;
      const chunks = await this.#hear(heard.getChannelData(0));
      if (signal.aborted) return;
      const start = Math.max(end, Math.ceil(context.currentTime * RATE + LEAD));
      this.#show(start, chunks);
      const node = new AudioBufferSourceNode(context, { buffer: heard });
      node.connect(context.destination);
      node.start(start / RATE);
      signal.addEventListener('abort', () => node.stop());
      ended = new Promise((resolve) => node.addEventListener('ended', resolve));
      end = start + heard.length;
    }
    await ended;
  }

  /** Plays a stream, delayed, until it ends. */
  async #listen(stream: MediaStream, signal: AbortSignal): Promise<void> {
    const { context } = this.parts;
    // Chromium gives the sound of a peer connection only to streams that an element plays.
    const element = new Audio();
    element.muted = true;
    element.srcObject = stream;
    const source = context.createMediaStreamSource(stream);
    const tap = new AudioWorkletNode(context, 'figurehead-tap', { numberOfOutputs: 0 });
    const delay = new DelayNode(context, { maxDelayTime: 1, delayTime: LIVE_DELAY / RATE });
    const cutter = this.#openCutter();
    let start: number | undefined;
    tap.port.onmessage = ({ data: { frame, samples } }: MessageEvent<TappedSound>) => {
      start ??= frame + LIVE_DELAY;
      if (!signal.aborted) this.#show(start, cutter.push(samples));
    };
    source.connect(tap);
    source.connect(delay).connect(context.destination);
    const ends = stream.getAudioTracks().map(async (track) => {
      if (track.readyState === 'live') await new Promise((resolve) => track.addEventListener('ended', resolve));
    });
    // What was delayed is still heard.
    const isOver = Promise.all(ends).then(
      () => new Promise((resolve) => setTimeout(resolve, (1000 * LIVE_DELAY) / RATE)),
    );
    await Promise.race([new Promise((resolve) => signal.addEventListener('abort', resolve)), isOver]);
    source.disconnect();
    delay.disconnect();
    tap.port.close();
    element.srcObject = null;
  }

  /** The mouth shapes of a whole sound. */
  async #hear(samples: Float32Array): Promise<HeardSpeech[]> {
    const cutter = this.#openCutter();
    const chunks: HeardSpeech[] = [];
    for (let at = 0; at < samples.length; at += RATE) {
      chunks.push(...cutter.push(samples.subarray(at, at + RATE)));
      // Pictures and sound go on meanwhile.
      await new Promise((resolve) => setTimeout(resolve));
    }
    return [...chunks, ...cutter.end()];
  }

  #openCutter(): SoundCutter {
    return new SoundCutter(openNetwork(this.parts.stored));
  }

  /** @param start sample of the context at which the sound of the chunks begins. */
  #show(start: number, chunks: Iterable<HeardSpeech>): void {
    const { clock, face } = this.parts;
    for (const chunk of chunks) {
      // In silence the presenter idles.
      if (chunk.marks.phonemes.every(({ phone }) => phone === '')) continue;
      face.addStretch(placeSpeech(clock.of(start + chunk.start), chunk));
    }
  }

  /** One channel at {@link RATE}; undefined for a sound without samples. */
  async #decode(sound: Sound): Promise<AudioBuffer | undefined> {
    const decoded = sound instanceof ArrayBuffer ? await this.parts.context.decodeAudioData(sound.slice(0)) : sound;
    const buffer = decoded instanceof AudioBuffer ? decoded : bufferOf(decoded);
    if (buffer === undefined || buffer.length === 0) return undefined;
    const offline = new OfflineAudioContext(1, Math.ceil(buffer.duration * RATE), RATE);
    const node = new AudioBufferSourceNode(offline, { buffer });
    node.connect(offline.destination);
    node.start();
    return offline.startRendering();
  }
}

function bufferOf({ samples, sampleRate }: { samples: Float32Array; sampleRate: number }): AudioBuffer | undefined {
  if (samples.length === 0) return undefined;
  const buffer = new AudioBuffer({ length: samples.length, sampleRate });
  buffer.copyToChannel(samples as Float32Array<ArrayBuffer>, 0);
  return buffer;
}
