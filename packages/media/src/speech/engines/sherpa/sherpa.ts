import { join } from 'node:path';
import { compiledUrl } from '../../../compiled-url.js';
import { type CatalogueVoice, type Cloning, SpeechError } from '../../contract.js';
import { assertReadable } from '../../text/scripts.js';
import type { CloudApi, CloudSentence, CloudSpeech } from '../cloud/cloud.js';
import type { EspeakSynthesizer } from '../espeak/espeak.js';
import { JobPool } from '../job-pool.js';
import { type InstalledModel, installedModels, type ModelFolder, requireSherpa } from './model.js';
import {
  catalogueVoices,
  clonedVoice,
  isCloning,
  languageOf,
  type NaturalVoiceModel,
  naturalnessOf,
  parseNaturalVoice,
  speakersOf,
  VOICE_FILE,
  voiceId,
} from './natural-voice.js';
import { keepLoad, loadOf } from './network-load.js';
import { phoneWords } from './phones.js';
import { type PiperVoice, piperPlace, preparePiperVoice, readPiperVoices } from './piper.js';
import { PIPER_ENGINE } from './piper-catalogue.js';
import type { SherpaAnswer, SherpaJob, SherpaNetwork } from './thread.js';

/** On a slow machine a sentence takes as long as its speech; the first one of a voice also loads up to 350 MB. */
const DEADLINE_MS = 120_000;

/** Shortest sound that tells the load of a network, at `CLOUD_RATE`. */
const MEASURED_SAMPLES = 24_000;

/** Message when no model can imitate a recording. */
export const NO_CLONING =
  'cloned voices need a model that imitates a recording; an administrator adds one with: figurehead voices add pocket-en';

/** Beginning of the ids of cloned voices. */
const CLONE = 'clone-';

/** Folder of prepared Piper voices, inside that of natural voices. */
const PREPARED = '.piper';

/** Natural voices on this machine. */
export interface NaturalConfig extends ModelFolder {
  /** The recording of a cloned voice: 48 kHz mono; `undefined` when there is no such voice. */
  readonly recordingOf?: (id: string) => Promise<Int16Array | undefined>;
}

/** What is said, by which speaker of a network. `locale` is of the speaker, which reads no other unless it reads phones. */
type Saying = Pick<SherpaJob, 'speaker' | 'reference'> & {
  readonly locale: string;
  readonly pace?: number;
  readonly espeak?: string;
};

/** sherpa-onnx in a process of its own, for all voices of this machine. The creator closes it. */
export class SherpaEngine {
  readonly #pool = new JobPool<SherpaJob, SherpaAnswer>({
    url: compiledUrl('./thread.js', import.meta.url),
    // One process, so that each network is in memory only once.
    threads: 1,
    deadlineMs: DEADLINE_MS,
    // sherpa-onnx ends the process that gives it a damaged model.
    isProcess: true,
  });

  /** @param espeak gives the phones; the caller closes it. */
  constructor(private readonly espeak: Pick<EspeakSynthesizer, 'spell'>) {}

  /** Throws a SpeechError that names the voice when the network fails, also when it ends its process. */
  async speak(
    network: SherpaNetwork & { readonly runtime: string },
    { text, order, voice, speed }: CloudSentence,
    { speaker, reference, locale, pace = speed, espeak, signal }: Saying & { readonly signal: AbortSignal },
  ): Promise<Buffer> {
    const { phones } = network;
    const id = `${voice.provider}:${voice.voice}`;
    assertReadable(text, { voice: id, locale: phones ? voice.locale : locale });
    const symbols = phones && (await this.espeak.spell(order, espeak ?? { locale: voice.locale }, signal));
    const job: SherpaJob = {
      ...{ ...network, speaker, text, speed: pace, locale: phones ? voice.locale : locale },
      ...(reference && { reference }),
      ...(symbols && { words: phoneWords(symbols, order.tokens) }),
    };
    try {
      const { pcm, load } = await this.#pool.run(job, signal);
      if (load !== undefined && pcm.length > MEASURED_SAMPLES && (await loadOf(network.folder)) === undefined)
        await keepLoad(network.folder, load);
      return Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength);
    } catch (cause) {
      if (signal.aborted) throw cause;
      throw new SpeechError(
        'provider_failed',
        `the voice ${id} cannot speak, because ${(cause as Error).message}; if this repeats, add the voice again: its files may be damaged`,
        { cause },
      );
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** Options of the voices of this machine. */
interface LocalVoices {
  readonly config: NaturalConfig;
  readonly engine: SherpaEngine;
}

/**
 * Natural voices by sherpa-onnx on this machine, a sentence at a time. It reports no phone times, so phones are aligned as for network
 * providers.
 */
export class SherpaApi implements CloudApi {
  readonly provider = 'sherpa';
  readonly isLocal = true;
  /** Kokoro takes up to three quarters of its speech: each phrase plays for longer than the next one takes. */
  readonly firstWords = [7, 9, 12];
  readonly voicesFreshMs = 1000;

  constructor(private readonly options: LocalVoices) {}

  async voices(): Promise<readonly CatalogueVoice[]> {
    const lists = (await this.#installed()).map(async ({ folder, description }) =>
      catalogueVoices(description, await loadOf(folder)),
    );
    return (await Promise.all(lists)).flat();
  }

  /** The recording stays where the caller keeps it, so there is nothing to add. */
  readonly cloning: Cloning = {
    isReady: async () => (await this.#installed()).some(({ description }) => isCloning(description)),
    add: async ({ id }) => `${CLONE}${id}`,
    // The recording is the voice.
    find: async () => undefined,
    remove: async () => undefined,
  };

  async unlisted(voice: string): Promise<CatalogueVoice | undefined> {
    return voice.startsWith(CLONE) ? clonedVoice(voice) : undefined;
  }

  async speak(sentence: CloudSentence, signal: AbortSignal): Promise<CloudSpeech> {
    const { voice } = sentence.voice;
    if (voice.startsWith(CLONE)) return this.#imitate(sentence, signal);
    for (const model of await this.#installed()) {
      const speaker = speakersOf(model.description).find((each) => voiceId(model.description.name, each) === voice);
      if (speaker === undefined) continue;
      const saying = { speaker: speaker.id, locale: speaker.locale, signal };
      return { pcm: await this.options.engine.speak(networkOf(model), sentence, saying) };
    }
    throw new SpeechError('unknown_voice', `there is no natural voice ${voice} in ${this.options.config.folder}`);
  }

  async #imitate(sentence: CloudSentence, signal: AbortSignal): Promise<CloudSpeech> {
    const { voice } = sentence.voice;
    const reference = await this.options.config.recordingOf?.(voice.slice(CLONE.length));
    if (reference === undefined) throw new SpeechError('unknown_voice', `the cloned voice ${voice} was deleted`);
    const model = (await this.#installed()).find(({ description }) => isCloning(description));
    if (model === undefined) throw new SpeechError('not_configured', NO_CLONING);
    const saying = { speaker: 0, reference, locale: sentence.voice.locale, pace: 1, signal };
    return { pcm: await this.options.engine.speak(networkOf(model), sentence, saying), isAtOwnPace: true };
  }

  async #installed(): Promise<InstalledModel<NaturalVoiceModel>[]> {
    return (await installedVoices(this.options.config)).filter(
      ({ description }) => description.engine !== PIPER_ENGINE,
    );
  }
}

function installedVoices(config: ModelFolder): Promise<InstalledModel<NaturalVoiceModel>[]> {
  return installedModels(config, VOICE_FILE, parseNaturalVoice);
}

function networkOf({ folder, runtime, description }: InstalledModel<NaturalVoiceModel>) {
  return { ...description, folder, runtime };
}

/** Voices of the Piper project (VITS networks, github.com/OHF-Voice/piper1-gpl), from the files that it publishes. */
export class PiperApi implements CloudApi {
  readonly provider = 'piper';
  readonly isLocal = true;
  readonly firstWords = [7];
  readonly voicesFreshMs = 1000;

  /** @param options.folder of `<voice>.onnx` and `<voice>.onnx.json` files; read again for each list of voices and each sentence. */
  constructor(private readonly options: LocalVoices & { readonly folder: string }) {}

  async voices(): Promise<readonly CatalogueVoice[]> {
    const entries = (await this.#all()).map(async (voice) => {
      const load = await loadOf(await piperPlace(voice, this.#prepared));
      return { ...voice.entry, natural: naturalnessOf(PIPER_ENGINE, load) };
    });
    return Promise.all(entries);
  }

  async speak(sentence: CloudSentence, signal: AbortSignal): Promise<CloudSpeech> {
    const { folder, config, engine } = this.options;
    const { voice: id, locale } = sentence.voice;
    const voice = (await this.#all()).find(({ entry }) => entry.voice === id);
    if (!voice)
      throw new SpeechError('unknown_voice', `there is no Piper voice ${id} in ${folder} or ${config.folder}`);
    const network = await preparePiperVoice(voice, this.#prepared);
    const liveliness = sentence.stability === undefined ? 1 : 1.9 - 1.8 * sentence.stability;
    const settings = {
      ...network.settings,
      noiseScale: voice.noiseScale * liveliness,
      noiseScaleW: voice.noiseScaleW * liveliness,
    };
    const own = languageOf(locale) === languageOf(voice.entry.locale) ? { espeak: voice.espeak } : {};
    const at = { ...network, settings, runtime: requireSherpa(id, config.runtime) };
    const saying = { speaker: 0, locale: voice.entry.locale, pace: paceFor(sentence.speed), ...own, signal };
    return { pcm: await engine.speak(at, sentence, saying) };
  }

  get #prepared(): string {
    return join(this.options.config.folder, PREPARED);
  }

  /** Those of the folder, and those of the catalogue, each once. */
  async #all(): Promise<readonly PiperVoice[]> {
    const { folder, config } = this.options;
    const own = await readPiperVoices(folder);
    if (own.length > 0) requireSherpa('Piper', config.runtime);
    const added = (await installedVoices(config)).filter(({ description }) => description.engine === PIPER_ENGINE);
    const theirs = await Promise.all(
      added.map((model) => readPiperVoices(model.folder, model.description.speakers[0]?.gender)),
    );
    return [...new Map([...theirs.flat(), ...own].map((voice) => [voice.entry.voice, voice])).values()];
  }
}

/** Mean frames of a phone or a pad. */
const FRAMES = 3;

/** The network's pace for a speed: it rounds the frames of each phone up, so that half a frame does not scale. */
function paceFor(speed: number): number {
  return FRAMES / ((FRAMES + 0.5) / speed - 0.5);
}
