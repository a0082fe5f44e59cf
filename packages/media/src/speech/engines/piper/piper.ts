import { compiledUrl } from '../../../compiled-url.js';
import { isOnnxInstalled, ONNX_MISSING } from '../../../onnx.js';
import { type SpeechChunk, SpeechError, type SpeechOptions, type Synthesizer } from '../../contract.js';
import { prepareSentences } from '../../text/prepare.js';
import type { EspeakSynthesizer } from '../espeak/espeak.js';
import { JobPool } from '../job-pool.js';
import { type SpokenSentence, speakSentences } from '../sentence.js';
import type { PiperJob } from './thread.js';
import { type PiperVoice, piperCatalogueVoice, readPiperVoices } from './voices.js';

/** A sentence takes a tenth of its length; the first one of a voice also loads 60 MB. */
const DEADLINE_MS = 60_000;

/** Options of the engine. */
interface PiperOptions {
  /** Folder of `<voice>.onnx` and `<voice>.onnx.json` files; read again for each list of voices and each utterance. */
  readonly folder: string;
  readonly threads: number;
  /** Converts text to phones; the caller closes it. */
  readonly espeak: EspeakSynthesizer;
}

/**
 * Voices of the Piper project (VITS networks, github.com/OHF-Voice/piper1-gpl) on `onnxruntime-node`, which is loaded on
 * first use and is optional. One chunk per sentence, with phone times from the network's own durations.
 */
export class PiperSynthesizer implements Synthesizer {
  readonly provider = 'piper';
  readonly #pool: JobPool<PiperJob, SpokenSentence>;

  constructor(private readonly options: PiperOptions) {
    this.#pool = new JobPool({
      url: compiledUrl('./thread.js', import.meta.url),
      threads: options.threads,
      deadlineMs: DEADLINE_MS,
    });
  }

  async voices(): ReturnType<Synthesizer['voices']> {
    return (await this.#read()).map(piperCatalogueVoice);
  }

  async *synthesize(text: string, options: SpeechOptions): AsyncGenerator<SpeechChunk, void, void> {
    const { folder, espeak } = this.options;
    const voice = (await this.#read()).find((each) => each.voice === options.voice);
    if (!voice) throw new SpeechError('unknown_voice', `there is no Piper voice ${options.voice} in ${folder}`);
    yield* speakSentences(
      prepareSentences(text, voice.locale, { ...options, quickStart: true }),
      options,
      async (order, signal) => {
        const spelling = await espeak.spell({ ...order, voice: voice.espeakVoice }, signal);
        const { speed, stability, prosody } = order;
        return this.#pool.run({ voice, spelling, speed, stability, prosody }, signal);
      },
    );
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #read(): Promise<PiperVoice[]> {
    const voices = await readPiperVoices(this.options.folder);
    if (voices.length > 0 && !isOnnxInstalled()) {
      throw new SpeechError('not_configured', `Piper voices need ONNX Runtime, but ${ONNX_MISSING}`);
    }
    return voices;
  }
}
