import {
  LONGEST_TEXT,
  namesOf,
  PROVIDERS,
  type ProviderName,
  type ProviderRow,
  SPEED_RANGE,
  STABILITY_RANGE,
} from '@figurehead/contract/document';
import { silence } from '../audio.js';
import { secondsToSamples } from '../time.js';
import { SpeechCache, speechKey } from './cache.js';
import {
  type Marks,
  type NamedMark,
  type SpeechChunk,
  SpeechError,
  type SpeechOptions,
  type Synthesizer,
  type Utterance,
  type Voice,
} from './contract.js';
import { joinChunks } from './energy.js';
import { AzureApi, type AzureConfig } from './engines/cloud/azure.js';
import { type CloudApi, CloudSynthesizer } from './engines/cloud/cloud.js';
import { ElevenLabsApi, type ElevenLabsConfig } from './engines/cloud/elevenlabs.js';
import { OpenAiApi, type OpenAiConfig } from './engines/cloud/openai.js';
import { EspeakSynthesizer } from './engines/espeak/espeak.js';
import { FliteSynthesizer } from './engines/flite/flite.js';
import { PiperSynthesizer } from './engines/piper/piper.js';
import { pauseSeconds } from './engines/sentence.js';
import { SherpaApi } from './engines/sherpa/sherpa.js';
import type { ArrivingText } from './text/arriving.js';
import type { TextPiece } from './text/piece.js';
import { pronunciationsIn } from './text/pronunciations.js';
import { readScript } from './text/script.js';

/** Statistics of a completed utterance. */
export interface SpokenReport {
  readonly provider: ProviderName;
  /** UTF-16 units of the text. */
  readonly characters: number;
  /** From the call to the first chunk. */
  readonly firstChunkMs: number;
  /** From the call to the last chunk; includes the consumer's time in between. */
  readonly milliseconds: number;
  /** The utterance came from the cache, without an engine or a provider. */
  readonly cached: boolean;
}

/** Configuration of speech synthesis. */
export interface SpeechConfig {
  /** Maximum threads of each local engine; 2 when absent. */
  readonly threads?: number;
  /** Size of the utterance cache in bytes; 64 MiB when absent, 0 for none. */
  readonly cacheBytes?: number;
  /** Folder of Piper voices (`<voice>.onnx` with `<voice>.onnx.json`); needs the package `onnxruntime-node`. */
  readonly piper?: { readonly folder: string };
  /** Folder of natural voices (see `NaturalVoice`), one folder each; needs the package `sherpa-onnx-node`. */
  readonly natural?: { readonly folder: string };
  readonly elevenlabs?: ElevenLabsConfig;
  readonly azure?: AzureConfig;
  readonly openai?: OpenAiConfig;
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
  voices(): Promise<readonly Voice[]>;
  /**
   * Speaks `text` (1 to 20 000 characters) chunk after chunk, first sentence first, 48 kHz mono at −18 LUFS. A text that begins
   * with `<speak>` is SSML; in plain text a `<break time="…"/>` becomes a pause of 0 to 10 s and other markup is read as text. Chunks
   * may be shared with the cache: do not write to their samples. Throws {@link SpeechError}, or the signal's reason within 100 ms of the abort.
   */
  synthesize(provider: ProviderName, text: string, options: SpeakOptions): AsyncIterable<SpeechChunk>;
  /** As `synthesize`, of a text that arrives in pieces: the first clause is spoken as soon as it is whole. Ends after the text has ended. */
  synthesizeArriving(provider: ProviderName, text: ArrivingText, options: SpeakOptions): AsyncIterable<SpeechChunk>;
  /** Like `synthesize`, with all chunks joined. */
  utter(provider: ProviderName, text: string, options: SpeakOptions): Promise<Utterance>;
  /** Drops a voice's utterances from the cache, because the voice has changed. */
  forget(provider: ProviderName, voice: string): void;
  /** Starts the threads of the default engine before the first utterance. */
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
}

function cloud(api: CloudApi, { espeak }: EngineParts): Synthesizer {
  return new CloudSynthesizer(api, (rendering, signal) => espeak.align(rendering, signal));
}

/** Opens each provider of the table; `undefined` when it is not configured. */
export const ENGINES: Readonly<Record<ProviderName, (parts: EngineParts) => Synthesizer | undefined>> = {
  flite: ({ threads }) => new FliteSynthesizer({ threads }),
  espeak: ({ espeak }) => espeak,
  piper: ({ config: { piper }, threads, espeak }) =>
    piper && new PiperSynthesizer({ folder: piper.folder, threads, espeak }),
  sherpa: (parts) => parts.config.natural && cloud(new SherpaApi(parts.config.natural.folder), parts),
  elevenlabs: (parts) => parts.config.elevenlabs && cloud(new ElevenLabsApi(parts.config.elevenlabs), parts),
  azure: (parts) => parts.config.azure && cloud(new AzureApi(parts.config.azure), parts),
  openai: (parts) => parts.config.openai && cloud(new OpenAiApi(parts.config.openai), parts),
};

/** Opens the configured providers and the built-in ones. Engines load on first use. */
export function createSpeech(config: SpeechConfig = {}): Speech {
  const threads = config.threads ?? 2;
  const espeak = new EspeakSynthesizer({ threads });
  const parts: EngineParts = { config, threads, espeak };
  const synthesizers = new Map<ProviderName, Synthesizer>();
  for (const provider of namesOf(PROVIDERS)) {
    const synthesizer = ENGINES[provider](parts);
    if (synthesizer !== undefined) synthesizers.set(provider, synthesizer);
  }
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
    for await (const chunk of kept ?? speakPieces(synthesizer, text, options)) {
      options.signal?.throwIfAborted();
      firstChunkMs ??= performance.now() - began;
      spoken.push(chunk);
      yield chunk;
    }
    const milliseconds = performance.now() - began;
    config.onSpoken?.({
      provider,
      characters: text.length,
      firstChunkMs: firstChunkMs ?? milliseconds,
      milliseconds,
      cached: kept !== undefined,
    });
    if (!kept && !options.fresh) cache.set(key, voiceKey(provider, options.voice), spoken);
  }

  return {
    async voices() {
      const lists = [...synthesizers.values()].map(async (synthesizer) => {
        try {
          return await synthesizer.voices();
        } catch (error) {
          config.onUnavailable?.(synthesizer.provider, error);
          return [];
        }
      });
      return (await Promise.all(lists)).flat();
    },
    synthesize,
    synthesizeArriving: (provider, text, options) =>
      speakUnits(text, options, (unit, own) => synthesize(provider, unit, own)),
    async utter(provider, text, options) {
      const chunks: SpeechChunk[] = [];
      for await (const chunk of synthesize(provider, text, options)) chunks.push(chunk);
      return joinChunks(chunks);
    },
    forget: (provider, voice) => cache.forget(voiceKey(provider, voice)),
    warm: async () => synthesizers.get('flite')?.warm?.(),
    async close() {
      await Promise.all([...synthesizers.values()].map((synthesizer) => synthesizer.close()));
    },
  };
}

/** The units of an arriving text, each spoken by itself, on one clock. After a unit comes the pause that its end asks for. */
async function* speakUnits(
  text: ArrivingText,
  options: SpeakOptions,
  speak: (text: string, options: SpeakOptions) => AsyncIterable<SpeechChunk>,
): AsyncGenerator<SpeechChunk, void, void> {
  let start = 0;
  for await (const unit of text.units(options.signal ?? new AbortController().signal)) {
    const placeOf = (at: number) => ({ from: unit.start + at, to: unit.start + at + 1 });
    let end = start;
    for await (const chunk of speak(unit.text, { ...options, isContinued: unit.start > 0 })) {
      const placed = placedIn(placeOf, chunk, start);
      yield placed;
      end = placed.start + placed.samples.length;
    }
    const pause = unit.last === undefined ? 0 : secondsToSamples(pauseSeconds(unit.last) / (options.speed ?? 1));
    if (pause > 0 && end > start && !text.isFinished) yield pauseChunk(end, pause);
    start = text.isFinished ? end : end + pause;
  }
}

/** The options with only the pronunciations that the text needs, so that others do not change the cache key. */
function relevant(text: string, options: SpeakOptions): SpeakOptions {
  if (options.pronunciations === undefined) return options;
  return { ...options, pronunciations: pronunciationsIn(text, options.pronunciations) };
}

function voiceKey(provider: ProviderName, voice: string): string {
  return `${provider}:${voice}`;
}

/** Speaks the pieces of a script one by one, with times from the start of the script. */
async function* speakPieces(
  synthesizer: Synthesizer,
  text: string,
  options: SpeechOptions,
): AsyncGenerator<SpeechChunk, void, void> {
  let start = 0;
  for (const piece of readScript(text)) {
    options.signal?.throwIfAborted();
    if (piece.kind === 'pause') {
      if (piece.samples > 0) yield pauseChunk(start, piece.samples);
      start += piece.samples;
      continue;
    }
    if (piece.kind === 'mark') {
      yield markChunk(start, [{ name: piece.name, at: start }]);
      continue;
    }
    let end = start;
    const waiting = [...piece.marks];
    const { sayings, locale = options.locale } = piece;
    const own = { ...options, sayings, ...(locale === undefined ? {} : { locale }) };
    for await (const chunk of synthesizer.synthesize(piece.text, own)) {
      const placed = placedIn(piece.placeOf, chunk, start);
      const named = reached(waiting, chunk, start);
      yield named.length > 0 ? { ...placed, marks: { ...placed.marks, named } } : placed;
      end = placed.start + placed.samples.length;
    }
    start = end;
    if (waiting.length > 0)
      yield markChunk(
        end,
        waiting.map(({ name }) => ({ name, at: end })),
      );
  }
}

/** Removes the waiting marks that precede a word of the chunk; each is reached when that word begins. */
function reached(
  waiting: { name: string; at: number }[],
  { marks: { words } }: SpeechChunk,
  offset: number,
): NamedMark[] {
  const out: NamedMark[] = [];
  for (let mark = waiting[0]; mark; mark = waiting[0]) {
    const { name, at } = mark;
    const next = words.find(({ textStart }) => textStart >= at);
    if (next === undefined) break;
    out.push({ name, at: offset + next.start });
    waiting.shift();
  }
  return out;
}

function markChunk(start: number, named: readonly NamedMark[]): SpeechChunk {
  return { start, samples: silence(0), marks: { phonemes: [], words: [], named } };
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

function pauseChunk(start: number, samples: number): SpeechChunk {
  const phonemes: Marks['phonemes'] = [{ phone: '', stress: 0, start, end: start + samples }];
  return { start, samples: silence(samples), marks: { phonemes, words: [] } };
}

/** A piece's chunk with times in the whole utterance and word offsets in the script. */
function placedIn(placeOf: TextPiece['placeOf'], chunk: SpeechChunk, samples: number): SpeechChunk {
  return {
    start: chunk.start + samples,
    samples: chunk.samples,
    marks: {
      phonemes: chunk.marks.phonemes.map((mark) => ({ ...mark, start: mark.start + samples, end: mark.end + samples })),
      words: chunk.marks.words.map((word) => ({
        text: word.text,
        textStart: placeOf(word.textStart).from,
        textEnd: placeOf(Math.max(word.textStart, word.textEnd - 1)).to,
        start: word.start + samples,
        end: word.end + samples,
      })),
    },
  };
}
