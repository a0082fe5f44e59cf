import type { ProviderName, ProviderRow, ProviderSettings } from '@figurehead/contract/document';
import { LONGEST_TEXT, PROVIDERS, SPEED_RANGE, STABILITY_RANGE } from '@figurehead/contract/document/provider';
import { namesOf } from '@figurehead/contract/document/table';
import { SpeechCache, speechKey } from './cache.js';
import {
  type CatalogueVoice,
  type Cloning,
  type SpeechChunk,
  SpeechError,
  type SpeechOptions,
  type SpokenText,
  type Synthesizer,
} from './contract.js';
import { joinChunks } from './energy.js';
import { AzureApi } from './engines/cloud/azure.js';
import { type CloudApi, CloudSynthesizer } from './engines/cloud/cloud.js';
import { ElevenLabsApi } from './engines/cloud/elevenlabs.js';
import { OpenAiApi } from './engines/cloud/openai.js';
import { EspeakSynthesizer } from './engines/espeak/espeak.js';
import { FliteSynthesizer } from './engines/flite/flite.js';
import { type NaturalConfig, NO_CLONING, PiperApi, SherpaApi, SherpaEngine } from './engines/sherpa/sherpa.js';
import { speakPieces, speakUnits } from './pieces.js';
import { type RecordedOptions, readRecording } from './recording/recording.js';
import { sampleSentence } from './sample-sentences.js';
import type { ArrivingText } from './text/arriving.js';
import { pronunciationsIn } from './text/pronunciations.js';
import { readScript } from './text/script.js';

/** Statistics of a completed utterance. */
export interface SpokenReport {
  readonly provider: ProviderName;
  /** UTF-16 units of the text. */
  readonly characters: number;
  /** From the call to the first chunk. */
  readonly firstChunkMs: number;
  /** The utterance came from the cache, without an engine or a provider. */
  readonly cached: boolean;
}

/** Configuration of speech synthesis, with the settings of the providers to open besides the built-in ones. */
export interface SpeechConfig extends ProviderSettings {
  /** Maximum threads of each local engine; 2 when absent. */
  readonly threads?: number;
  /** Size of the utterance cache in bytes; 64 MiB when absent, 0 for none. */
  readonly cacheBytes?: number;
  /** Natural voices, Piper's and cloned ones; they need sherpa-onnx. */
  readonly natural?: NaturalConfig;
  /** Called when a provider cannot list its voices; they are then missing from the catalogue for a while. */
  readonly onUnavailable?: (provider: ProviderName, error: unknown) => void;
  /** Called for every completed utterance, not for aborted or failed ones. Must not throw. */
  readonly onSpoken?: (report: SpokenReport) => void;
}

/** Speech options and the use of the cache. */
export interface SpeakOptions extends SpeechOptions {
  /** Bypasses the cache for reading and writing. */
  readonly fresh?: boolean;
}

/** All providers behind one interface. Safe for concurrent calls. The creator closes it. */
export interface Speech {
  /** All voices that are available now, from all configured providers that respond. */
  voices(): Promise<readonly CatalogueVoice[]>;
  /**
   * Speaks `text` (1 to 20 000 characters) chunk after chunk, first sentence first, 48 kHz mono at −18 LUFS. A text that begins
   * with `<speak>` is SSML; in plain text a `<break time="…"/>` becomes a pause of 0 to 10 s and other markup is read as text. Chunks
   * may be shared with the cache: do not write to their samples. Throws {@link SpeechError}, or the signal's reason within 100 ms of the abort.
   */
  synthesize(provider: ProviderName, text: string, options: SpeakOptions): AsyncIterable<SpeechChunk>;
  /**
   * As `synthesize`, for a text that arrives in pieces: the first clause is spoken as soon as it is complete. Ends
   * after the text has ended.
   */
  synthesizeArriving(provider: ProviderName, text: ArrivingText, options: SpeakOptions): AsyncIterable<SpeechChunk>;
  /** Like `synthesize`, with all chunks joined. */
  utter(provider: ProviderName, text: string, options: SpeakOptions): Promise<SpokenText>;
  /**
   * Recorded speech in the form of synthesized speech: the sound of a file at the loudness of every voice, without silence at its ends, with
   * marks. One recording at a time is prepared, because 20 minutes take 700 MB. Throws a {@link SpeechError} `bad_option` for a recording that
   * cannot be used, or the signal's reason.
   */
  recorded(file: string, options: RecordedOptions): Promise<SpokenText>;
  /** Makes voices from recordings, at a provider or at the first that can. Throws a {@link SpeechError} `not_configured` when none can. */
  cloning(provider?: ProviderName): Promise<Cloning & { readonly provider: ProviderName }>;
  /** Drops a voice's utterances from the cache, because the voice has changed. */
  forget(provider: ProviderName, voice: string): void;
  /** Starts the threads of the default engine before the first utterance. In the background it measures natural voices that never spoke on this machine. */
  warm(): Promise<void>;
  /** Frees every engine. Idempotent. */
  close(): Promise<void>;
}

const CACHE_BYTES = 64 * 1024 * 1024;

/** Dependencies of an engine; cloud engines align their speech with `espeak`. */
interface EngineParts {
  readonly config: SpeechConfig;
  readonly threads: number;
  readonly espeak: EspeakSynthesizer;
  readonly sherpa: SherpaEngine;
}

function cloud(api: CloudApi, { espeak }: EngineParts): Synthesizer {
  return new CloudSynthesizer(api, espeak);
}

/** Opens each provider of the table; `undefined` when it is not configured. */
export const ENGINES: Readonly<Record<ProviderName, (parts: EngineParts) => Synthesizer | undefined>> = {
  flite: ({ threads }) => new FliteSynthesizer({ threads }),
  espeak: ({ espeak }) => espeak,
  piper: (parts) => {
    const { piper, natural: config } = parts.config;
    if (piper?.folder === undefined || config === undefined) return undefined;
    return cloud(new PiperApi({ folder: piper.folder, config, engine: parts.sherpa }), parts);
  },
  sherpa: (parts) =>
    parts.config.natural && cloud(new SherpaApi({ config: parts.config.natural, engine: parts.sherpa }), parts),
  elevenlabs: (parts) =>
    parts.config.elevenlabs && cloud(new ElevenLabsApi({ apiKey: '', ...parts.config.elevenlabs }), parts),
  azure: (parts) => parts.config.azure && cloud(new AzureApi({ apiKey: '', region: '', ...parts.config.azure }), parts),
  openai: (parts) =>
    parts.config.openai &&
    cloud(new OpenAiApi({ baseUrl: PROVIDERS.openai.settings.baseUrl.fallback, ...parts.config.openai }), parts),
};

/** Opens the configured providers and the built-in ones. Engines load on first use. */
export function createSpeech(config: SpeechConfig = {}): Speech {
  const threads = config.threads ?? 2;
  const espeak = new EspeakSynthesizer({ threads });
  const sherpa = new SherpaEngine(espeak);
  const parts: EngineParts = { config, threads, espeak, sherpa };
  const synthesizers = new Map<ProviderName, Synthesizer>();
  for (const provider of namesOf(PROVIDERS)) {
    const synthesizer = ENGINES[provider](parts);
    if (synthesizer !== undefined) synthesizers.set(provider, synthesizer);
  }
  let recordings: Promise<unknown> = Promise.resolve();
  const closed = new AbortController();
  let measuring: Promise<void> | undefined;
  const cache = new SpeechCache(config.cacheBytes ?? CACHE_BYTES);

  async function* synthesize(
    provider: ProviderName,
    text: string,
    asked: SpeakOptions,
  ): AsyncGenerator<SpeechChunk, void, void> {
    assertSpeakable(text, asked);
    const options = relevant(text, asked);
    const synthesizer = synthesizers.get(provider);
    if (!synthesizer) {
      const { needs: missing = 'it' }: ProviderRow = PROVIDERS[provider];
      throw new SpeechError('not_configured', `the speech provider ${provider} is not available: configure ${missing}`);
    }
    options.signal?.throwIfAborted();
    const key = speechKey(provider, text, options);
    const kept = options.fresh ? undefined : cache.get(key);
    const spoken: SpeechChunk[] = [];
    const began = performance.now();
    let firstChunkMs: number | undefined;
    for await (const chunk of kept ?? speakPieces(synthesizer, readScript(text), options)) {
      options.signal?.throwIfAborted();
      firstChunkMs ??= performance.now() - began;
      spoken.push(chunk);
      yield chunk;
    }
    config.onSpoken?.({
      provider,
      characters: text.length,
      firstChunkMs: firstChunkMs ?? performance.now() - began,
      cached: kept !== undefined,
    });
    if (!kept && !options.fresh) cache.set(key, voiceKey(provider, options.voice), spoken);
  }

  return {
    voices: () => voicesOf([...synthesizers.values()], config.onUnavailable),
    synthesize,
    synthesizeArriving: (provider, text, options) =>
      speakUnits(text, options, (unit, own) => synthesize(provider, unit, own)),
    async utter(provider, text, options) {
      const chunks: SpeechChunk[] = [];
      for await (const chunk of synthesize(provider, text, options)) chunks.push(chunk);
      return joinChunks(chunks);
    },
    recorded: (file, options) => {
      const reading = recordings.then(() => readRecording(file, options, espeak));
      recordings = reading.catch(() => undefined);
      return reading;
    },
    cloning: (wanted) => cloningOf([...synthesizers.values()], wanted),
    forget: (provider, voice) => cache.forget(voiceKey(provider, voice)),
    async warm() {
      await synthesizers.get('flite')?.warm?.();
      measuring ??= measureLoads([...synthesizers.values()], closed.signal, config.onUnavailable);
    },
    async close() {
      closed.abort();
      await measuring;
      await Promise.all([...[...synthesizers.values()].map((synthesizer) => synthesizer.close()), sherpa.close()]);
    },
  };
}

async function voicesOf(
  synthesizers: readonly Synthesizer[],
  onUnavailable: SpeechConfig['onUnavailable'],
): Promise<readonly CatalogueVoice[]> {
  const lists = synthesizers.map(async (synthesizer) => {
    try {
      return await synthesizer.voices();
    } catch (error) {
      onUnavailable?.(synthesizer.provider, error);
      return [];
    }
  });
  return (await Promise.all(lists)).flat();
}

/** Speaks twice with a voice of each network whose load is not known here: the first time reads the network. */
async function measureLoads(
  synthesizers: readonly Synthesizer[],
  signal: AbortSignal,
  onUnavailable: SpeechConfig['onUnavailable'],
): Promise<void> {
  for (const synthesizer of synthesizers.filter(({ provider }) => provider === 'piper' || provider === 'sherpa')) {
    try {
      const unknown = (await synthesizer.voices()).filter(({ natural }) => natural?.isMeasured === false);
      const networks = new Map(unknown.toReversed().map((voice) => [voice.voice.split('.')[0], voice]));
      for (const { voice, locale } of networks.values()) {
        const text = sampleSentence(locale);
        for (const said of [text, text]) {
          for await (const _ of synthesizer.synthesize(said, { voice, signal })) signal.throwIfAborted();
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      onUnavailable?.(synthesizer.provider, error);
    }
  }
}

async function cloningOf(
  synthesizers: readonly Synthesizer[],
  wanted: ProviderName | undefined,
): Promise<Cloning & { readonly provider: ProviderName }> {
  for (const { provider, cloning } of synthesizers) {
    if (cloning === undefined || (wanted ?? provider) !== provider || !(await cloning.isReady())) continue;
    return { ...cloning, provider };
  }
  throw new SpeechError('not_configured', NO_CLONING);
}

/** The options with only the pronunciations that the text needs, so that others do not change the cache key. */
function relevant(text: string, options: SpeakOptions): SpeakOptions {
  if (options.pronunciations === undefined) return options;
  return { ...options, pronunciations: pronunciationsIn(text, options.pronunciations) };
}

function voiceKey(provider: ProviderName, voice: string): string {
  return `${provider}:${voice}`;
}

function assertSpeakable(text: string, { speed = 1, stability = 0.5 }: SpeechOptions): void {
  if (text.trim() === '') throw new SpeechError('bad_option', 'expected text to speak, got none');
  if (text.length > LONGEST_TEXT) {
    throw new SpeechError('bad_option', `expected at most ${LONGEST_TEXT} characters, got ${text.length}`);
  }
  if (!(speed >= SPEED_RANGE.minimum && speed <= SPEED_RANGE.maximum)) {
    throw new SpeechError(
      'bad_option',
      `expected a speed of ${SPEED_RANGE.minimum} to ${SPEED_RANGE.maximum}, got ${speed}`,
    );
  }
  if (!(stability >= STABILITY_RANGE.minimum && stability <= STABILITY_RANGE.maximum)) {
    throw new SpeechError('bad_option', `expected a stability of 0 to 1, got ${stability}`);
  }
}
