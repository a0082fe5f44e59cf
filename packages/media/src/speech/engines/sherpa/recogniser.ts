import { compiledUrl } from '../../../compiled-url.js';
import { SpeechError } from '../../contract.js';
import { JobPool } from '../job-pool.js';
import { installedModels, type ModelFolder } from './model.js';
import {
  codeOf,
  parseRecogniser,
  RECOGNISER_COMMAND,
  RECOGNISER_FILE,
  type RecogniserModel,
} from './recogniser-model.js';
import type { RecogniserAnswer, RecogniserJob } from './recogniser-process.js';

/** Half a minute of speech on a slow machine; the first utterance also loads up to 250 MB. */
const DEADLINE_MS = 60_000;

/** One process, so that each network is in memory only once; utterances wait in the order of their arrival. */
const PROCESSES = 1;

/** Speech of one person. */
export interface RecordedSpeech {
  /** 16 bit, mono. */
  readonly samples: Int16Array;
  /** Hz. */
  readonly sampleRate: number;
}

/** Installed recognisers, by name. Throws a {@link SpeechError} `not_configured` when sherpa-onnx is missing. */
export async function installedRecognisers(folder: ModelFolder): Promise<RecogniserModel[]> {
  return (await installedModels(folder, RECOGNISER_FILE, parseRecogniser)).map(({ description }) => description);
}

/**
 * Speech recognition on this machine by sherpa-onnx, an utterance at a time. It runs in its own process, because sherpa-onnx ends the process that
 * gives it a damaged model. Safe for concurrent calls. The creator closes it.
 */
export class SpeechRecogniser {
  readonly #pool = new JobPool<RecogniserJob, RecogniserAnswer>({
    url: compiledUrl('./recogniser-process.js', import.meta.url),
    threads: PROCESSES,
    deadlineMs: DEADLINE_MS,
    isProcess: true,
  });
  /** Models are looked up one at a time, so that no utterance overtakes another one. */
  #lookup: Promise<unknown> = Promise.resolve();

  /** Models that are added later are found, and sherpa-onnx as well. */
  constructor(private readonly folder: ModelFolder) {}

  /**
   * The words of an utterance by the first model that knows the language; empty when there are none. Throws a {@link SpeechError}, or the
   * signal's reason. An utterance without samples loads the model.
   * @param language ISO 639.
   */
  async transcribe({ samples, sampleRate }: RecordedSpeech, language: string, signal: AbortSignal): Promise<string> {
    const lookup = this.#lookup.then(() => installedModels(this.folder, RECOGNISER_FILE, parseRecogniser));
    this.#lookup = lookup.catch(() => undefined);
    const installed = await lookup;
    for (const { folder, runtime, description } of installed) {
      const code = codeOf(description, language);
      if (code === undefined) continue;
      const { engine, files } = description;
      const job = { folder, runtime, engine, files, language: code, samples, sampleRate };
      try {
        return (await this.#pool.run(job, signal)).text;
      } catch (error) {
        if (signal.aborted) throw error;
        throw new SpeechError('provider_failed', `the speech recogniser ${description.name} failed`, { cause: error });
      }
    }
    throw new SpeechError(
      'not_configured',
      `no installed speech recogniser knows the language ${language}; run: ${RECOGNISER_COMMAND}`,
    );
  }

  /** Ends the process and rejects its jobs. Idempotent. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}
