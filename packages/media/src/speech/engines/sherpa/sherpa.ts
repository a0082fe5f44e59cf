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
  readonly #pool = new JobPool<SherpaJob, SherpaAnswer>({
    url: compiledUrl('./thread.js', import.meta.url),
    threads: PROCESSES,
    deadlineMs: DEADLINE_MS,
    // sherpa-onnx ends the process that gives it a damaged model.
    isProcess: true,
  });

  constructor(private readonly config: NaturalConfig) {}

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

  async speak(sentence: CloudSentence, signal: AbortSignal): Promise<CloudSpeech> {
    const { voice } = sentence.voice;
    if (voice.startsWith(CLONE)) return this.#imitate(sentence, signal);
    for (const model of await this.#installed()) {
      const speaker = model.description.speakers.find((each) => voiceId(model.description.name, each) === voice);
      if (speaker === undefined) continue;
      const { text, speed } = sentence;
      return { pcm: await this.#run(model, { speaker: speaker.id, text, speed }, signal) };
    }
    throw new SpeechError('unknown_voice', `there is no natural voice ${voice} in ${this.config.folder}`);
  }

  async #imitate({ text, voice }: CloudSentence, signal: AbortSignal): Promise<CloudSpeech> {
    const reference = await this.config.recordingOf?.(voice.voice.slice(CLONE.length));
    if (reference === undefined) throw new SpeechError('unknown_voice', `the cloned voice ${voice.voice} was deleted`);
    const model = (await this.#installed()).find(({ description }) => isCloning(description));
    if (model === undefined) throw new SpeechError('not_configured', NO_CLONING);
    return { pcm: await this.#run(model, { speaker: 0, reference, text, speed: 1 }, signal), isAtOwnPace: true };
  }

  /** @returns the samples' bytes. */
  async #run(
    { folder, runtime, description: { engine, files } }: InstalledModel<NaturalVoiceModel>,
    sentence: Pick<SherpaJob, 'speaker' | 'reference' | 'text' | 'speed'>,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const { pcm } = await this.#pool.run({ folder, runtime, engine, files, ...sentence }, signal);
    return Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #installed(): Promise<InstalledModel<NaturalVoiceModel>[]> {
    return installedModels(this.config, VOICE_FILE, parseNaturalVoice);
  }
}
