import { compiledUrl } from '../../../compiled-url.js';
import { type CatalogueVoice, type Cloning, SpeechError } from '../../contract.js';
import type { CloudApi, CloudSentence, CloudSpeech } from '../cloud/cloud.js';
import { JobPool } from '../job-pool.js';
import { type InstalledModel, installedModels, type ModelFolder } from './model.js';
import {
  catalogueVoices,
  clonedVoice,
  isCloning,
  type NaturalVoiceModel,
  parseNaturalVoice,
  VOICE_FILE,
  voiceId,
} from './natural-voice.js';
import type { SherpaAnswer, SherpaJob } from './thread.js';

/** On a slow machine a sentence takes as long as its speech; the first one of a voice also loads up to 350 MB. */
const DEADLINE_MS = 120_000;

/** One process, so that each network is in memory only once. */
const PROCESSES = 1;

/** Message when no model can imitate a recording. */
export const NO_CLONING =
  'cloned voices need a model that imitates a recording; an administrator adds one with: figurehead voices add pocket-en';

/** Beginning of the ids of cloned voices. */
const CLONE = 'clone-';

/** Natural voices on this machine. */
export interface NaturalConfig extends ModelFolder {
  /** The recording of a cloned voice: 48 kHz mono; `undefined` when there is no such voice. */
  readonly recordingOf?: (id: string) => Promise<Int16Array | undefined>;
}

/**
 * Natural voices by sherpa-onnx on this machine, a sentence at a time. It reports no phone times, so phones are aligned as for network
 * providers.
 */
export class SherpaApi implements CloudApi {
  readonly provider = 'sherpa';
  readonly voicesFreshMs = 1000;
  readonly #config: NaturalConfig;
  readonly #pool: JobPool<SherpaJob, SherpaAnswer>;

  constructor(config: NaturalConfig) {
    this.#config = config;
    const url = compiledUrl('./thread.js', import.meta.url);
    const limits = { threads: PROCESSES, deadlineMs: DEADLINE_MS };
    // sherpa-onnx ends the process that gives it a damaged model.
    this.#pool = new JobPool({ url, ...limits, workerData: undefined, isProcess: true });
  }

  async voices(): Promise<readonly CatalogueVoice[]> {
    return (await this.#installed()).flatMap(({ description }) => catalogueVoices(description));
  }

  /** The recording stays where the caller keeps it, so there is nothing to add. */
  readonly cloning: Cloning = {
    isReady: async () => (await this.#installed()).some(({ description }) => isCloning(description)),
    add: async ({ id }) => `${CLONE}${id}`,
    remove: async () => undefined,
  };

  async unlisted(voice: string): Promise<CatalogueVoice | undefined> {
    return voice.startsWith(CLONE) ? clonedVoice(voice) : undefined;
  }

  async speak({ text, voice, speed }: CloudSentence, signal: AbortSignal): Promise<CloudSpeech> {
    if (voice.voice.startsWith(CLONE)) return this.#imitate({ text, voice, speed }, signal);
    for (const { folder, runtime, description } of await this.#installed()) {
      const speaker = description.speakers.find((each) => voiceId(description.name, each) === voice.voice);
      if (speaker === undefined) continue;
      const { engine, files } = description;
      const { pcm } = await this.#pool.run(
        { folder, runtime, engine, files, speaker: speaker.id, text, speed },
        signal,
      );
      return { pcm: Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength) };
    }
    throw new SpeechError('unknown_voice', `there is no natural voice ${voice.voice} in ${this.#config.folder}`);
  }

  async #imitate({ text, voice }: CloudSentence, signal: AbortSignal): Promise<CloudSpeech> {
    const reference = await this.#config.recordingOf?.(voice.voice.slice(CLONE.length));
    if (reference === undefined) throw new SpeechError('unknown_voice', `the cloned voice ${voice.voice} was deleted`);
    const model = (await this.#installed()).find(({ description }) => isCloning(description));
    if (model === undefined) throw new SpeechError('not_configured', NO_CLONING);
    const { engine, files } = model.description;
    const { folder, runtime } = model;
    const job = { folder, runtime, engine, files, speaker: 0, reference, text, speed: 1 };
    const { pcm } = await this.#pool.run(job, signal);
    return { pcm: Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength), isAtOwnPace: true };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #installed(): Promise<InstalledModel<NaturalVoiceModel>[]> {
    return installedModels(this.#config, VOICE_FILE, parseNaturalVoice);
  }
}
