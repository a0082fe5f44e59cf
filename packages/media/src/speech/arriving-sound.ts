import { setImmediate as nextTurn } from 'node:timers/promises';
import { SoundCutter } from '@figurehead/presenter/sound';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { type Pcm, readPcm } from '../audio.js';
import type { SpeechChunk } from './contract.js';
import { readClassifier } from './from-sound.js';
import { openResampler } from './resample.js';

/** Bytes of a sample: 16 bit, little-endian. */
export const SAMPLE_BYTES = 2;
/** Sound that is processed in one step: a few milliseconds of work. */
const STEP_SECONDS = 0.25;

/** Power (RMS −40 dB) from which a first piece is the beginning of a voice, not of a pause. */
const AUDIBLE = 1e-4;
/** The mouth opens a little before a voice begins, for as long as its first shapes take to be known. */
const PREPARATION = { phone: 'ə', stress: 0, start: 0, end: 0.1 * SAMPLE_RATE } as const;

/**
 * Recorded or synthesised speech that arrives in pieces: PCM, mono, signed 16 bit, little-endian. `chunks` returns it
 * with mouth shapes derived from the sound alone, each piece as soon as its marks are final (80 ms later). If it begins with a voice, the first
 * chunk has no samples and the shape of a mouth that is about to speak.
 */
export class ArrivingSound {
  #waiting: Buffer[] = [];
  #bytes = 0;
  #isEnded = false;
  #wake: () => void = () => undefined;

  /** @param sampleRate of the pieces, Hz. */
  constructor(readonly sampleRate: number) {}

  /** Seconds of sound that have arrived but were not read from `chunks`. */
  get waitingSeconds(): number {
    return this.#bytes / SAMPLE_BYTES / this.sampleRate;
  }

  /** Appends whole samples. Does nothing after `end`. */
  append(pcm: Buffer): void {
    if (this.#isEnded || pcm.length === 0) return;
    this.#waiting.push(pcm);
    this.#bytes += pcm.length;
    this.#wake();
  }

  /** Marks the end of the sound. Idempotent. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** Drops the waiting sound and accepts no more, because it will not be played. */
  discard(): void {
    this.end();
    this.#waiting = [];
    this.#bytes = 0;
  }

  /** The sound in order, until its end. For one reader. Throws the signal's reason. */
  async *chunks(signal: AbortSignal): AsyncGenerator<SpeechChunk, void, void> {
    const stop = () => this.#wake();
    signal.addEventListener('abort', stop, { once: true });
    const resampler = openResampler(this.sampleRate, SAMPLE_RATE);
    const cutter = new SoundCutter(readClassifier());
    let isFirst = true;
    try {
      for (;;) {
        signal.throwIfAborted();
        const piece = this.#take();
        if (piece !== undefined) {
          if (isFirst && isAudible(piece))
            yield { start: 0, samples: new Float32Array(0), marks: { phonemes: [PREPARATION], words: [] } };
          isFirst = false;
          yield* cutter.push(resampler.push(piece));
          // A turn that comes at once is work for a tenth of a second; the first of it is sent meanwhile, and other streams go on.
          await nextTurn();
        } else if (this.#isEnded) break;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
      yield* cutter.push(resampler.end());
      yield* cutter.end();
    } finally {
      signal.removeEventListener('abort', stop);
      resampler.close();
    }
  }

  #take(): Pcm | undefined {
    const most = Math.round(STEP_SECONDS * this.sampleRate) * SAMPLE_BYTES;
    const parts: Buffer[] = [];
    let bytes = 0;
    for (let part = this.#waiting.shift(); part !== undefined; part = this.#waiting.shift()) {
      const taken = part.subarray(0, most - bytes);
      parts.push(taken);
      bytes += taken.length;
      if (taken.length < part.length) this.#waiting.unshift(part.subarray(taken.length));
      if (bytes === most) break;
    }
    this.#bytes -= bytes;
    return bytes === 0 ? undefined : readPcm(Buffer.concat(parts));
  }
}

function isAudible(samples: Pcm): boolean {
  return samples.reduce((sum, value) => sum + value * value, 0) > AUDIBLE * samples.length;
}
