import { compiledUrl } from '../../../compiled-url.js';
import { type CatalogueVoice, SpeechError } from '../../contract.js';
import type { CloudApi, CloudSentence, CloudSpeech } from '../cloud/cloud.js';
import { JobPool } from '../job-pool.js';
import { type InstalledModel, installedModels } from './model.js';
import { catalogueVoices, type NaturalVoiceModel, parseNaturalVoice, VOICE_FILE, voiceId } from './natural-voice.js';
import type { SherpaAnswer, SherpaJob } from './thread.js';

/** On a slow machine a sentence takes as long as its speech; the first one of a voice also loads up to 350 MB. */
const DEADLINE_MS = 120_000;

/** One process, so that each network is in memory only once. */
const PROCESSES = 1;

/**
 * Natural voices by sherpa-onnx on this machine, a sentence at a time. It reports no phone times, so phones are aligned as for network
 * providers.
 */
export class SherpaApi implements CloudApi {
  readonly provider = 'sherpa';
  readonly voicesFreshMs = 1000;
  readonly #folder: string;
  readonly #pool: JobPool<SherpaJob, SherpaAnswer>;

  /** @param folder contains a folder for each voice with its {@link VOICE_FILE}; it may be missing. */
  constructor(folder: string) {
    this.#folder = folder;
    const url = compiledUrl('./thread.js', import.meta.url);
    const limits = { threads: PROCESSES, deadlineMs: DEADLINE_MS };
    // sherpa-onnx ends the process that gives it a damaged model.
    this.#pool = new JobPool({ url, ...limits, workerData: undefined, isProcess: true });
  }

  async voices(): Promise<readonly CatalogueVoice[]> {
    return (await this.#installed()).flatMap(({ description }) => catalogueVoices(description));
  }

  async speak({ text, voice, speed }: CloudSentence, signal: AbortSignal): Promise<CloudSpeech> {
    for (const { folder, description } of await this.#installed()) {
      const speaker = description.speakers.find((each) => voiceId(description.name, each) === voice.voice);
      if (speaker === undefined) continue;
      const { engine, files } = description;
      const { pcm } = await this.#pool.run({ folder, engine, files, speaker: speaker.id, text, speed }, signal);
      return { pcm: Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength) };
    }
    throw new SpeechError('unknown_voice', `there is no natural voice ${voice.voice} in ${this.#folder}`);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #installed(): Promise<InstalledModel<NaturalVoiceModel>[]> {
    return installedModels(this.#folder, VOICE_FILE, parseNaturalVoice);
  }
}
