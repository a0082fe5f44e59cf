import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** An event of the program; times in whole milliseconds, text positions in code points from 1. */
interface RawEvent {
  readonly type: string;
  readonly text_position: number;
  readonly audio_position: number;
  readonly id: unknown;
}

/** The used part of the program's interface. */
interface RawWorker {
  set_voice(name: string): number;
  set_rate(wordsPerMinute: number): void;
  set_range(range: number): void;
  synthesize(text: string, onChunk: (samples: Int16Array, events: readonly RawEvent[]) => boolean): void;
}

interface RawModule {
  readonly HEAPU8: Uint8Array;
  readonly FS: { readFile(path: string): Uint8Array };
  readonly eSpeakNGWorker: new () => RawWorker;
}

/** Voice settings of the program. */
interface EspeakSettings {
  readonly voice: string;
  /** Words per minute, 80 to 450; the voices' default is 175. */
  readonly rate: number;
  /** Pitch range, 0 to 99; the voices' default is 50. */
  readonly range: number;
}

/** A phone in the program's notation (`''` for a pause), and the code point of the text at which its word begins. Times in seconds. */
export interface EspeakPhone {
  readonly symbol: string;
  readonly start: number;
  readonly end: number;
  readonly codePoint: number;
}

/** The sound at {@link ESPEAK_RATE} and its phones in order. */
export interface EspeakSpeech {
  readonly samples: Float32Array;
  readonly phones: readonly EspeakPhone[];
}

/** Called while a text is spoken; `soFar` copies the sound and its phones. */
export type OnProgress = (seconds: number, soFar: () => EspeakSpeech) => void;

/** Sample rate of the program's output, Hz. */
export const ESPEAK_RATE = 22_050;

/** Languages of the catalogue that the program knows only by the name of the voice file. */
const FILES: Readonly<Record<string, string>> = { 'en-gb': 'en', 'fr-fr': 'fr' };

/** Maximum UTF-8 bytes of a text. */
const MAX_TEXT_BYTES = 12_000;

/**
 * eSpeak NG compiled to JavaScript. Noise generators and unfinished clauses stay in its memory, so that its output depends on
 * earlier calls. To make it deterministic, the memory is restored to its state after loading before each call (2 ms, and half a
 * millisecond for the voice).
 */
export class EspeakProgram {
  readonly #module: RawModule;
  readonly #worker: RawWorker;
  readonly #memory: Uint8Array;
  /** Settings since the memory was restored; absent when the program has spoken since. */
  #ready: EspeakSettings | 'anything' | undefined;
  /** Initial settings of the last job. */
  #usual: EspeakSettings | undefined;

  private constructor(module: RawModule) {
    this.#module = module;
    // It seeds its noise with the time, and the same text must sound the same in each process.
    const { now } = Date;
    Date.now = () => 0;
    this.#worker = new module.eSpeakNGWorker();
    Date.now = now;
    // The JavaScript part has a text buffer in the program's memory that only grows; it must have its full size before the
    // memory is saved.
    this.#worker.set_voice('x'.repeat(MAX_TEXT_BYTES));
    this.#worker.set_voice('en-us');
    this.#worker.synthesize('ready', () => false);
    this.#memory = module.HEAPU8.slice();
  }

  /** Loads the program and its 24 MB of language data. */
  static async load(): Promise<EspeakProgram> {
    return new EspeakProgram(await loadModule());
  }

  /** Restores the memory between jobs and sets the voice of the last job, which the next one is most likely to use. */
  prepare(): void {
    if (this.#ready === undefined) this.#putBack();
    if (this.#ready === 'anything' && this.#usual) this.#set(this.#usual);
    this.#usual = undefined;
  }

  #putBack(): void {
    this.#module.HEAPU8.set(this.#memory);
    this.#ready = 'anything';
  }

  /** Requires restored memory, because an earlier voice would affect the output. */
  #set(settings: EspeakSettings): void {
    // An unknown name would silently keep the previous voice, and French would be read as English.
    const [language = '', variant] = settings.voice.split('+');
    const name = `${FILES[language] ?? language}${variant === undefined ? '' : `+${variant}`}`;
    if (this.#worker.set_voice(name) !== 0) throw new Error(`expected a voice of eSpeak NG, got ${settings.voice}`);
    this.#worker.set_rate(Math.round(settings.rate));
    this.#worker.set_range(Math.round(settings.range));
    this.#ready = settings;
  }

  /**
   * Speaks plain text. Throws when it is longer than 12 000 bytes.
   * @param onProgress receives the length in seconds whenever another 0.1 s is ready, and everything so far on request.
   */
  speak(text: string, settings: EspeakSettings, onProgress?: OnProgress): EspeakSpeech {
    if (Buffer.byteLength(text) > MAX_TEXT_BYTES) throw new Error(`expected at most ${MAX_TEXT_BYTES} bytes of text`);
    this.#usual ??= settings;
    if (!isSame(this.#ready, settings)) {
      if (this.#ready !== 'anything') this.#putBack();
      this.#set(settings);
    }
    this.#ready = undefined;
    const chunks: Int16Array[] = [];
    const events: RawEvent[] = [];
    const soFar = (): EspeakSpeech => {
      const samples = joinSamples(chunks);
      return { samples, phones: phonesOf(events, samples.length / ESPEAK_RATE) };
    };
    let seconds = 0;
    this.#worker.synthesize(text, (samples, more) => {
      // The program reuses its buffer.
      chunks.push(samples.slice());
      events.push(...more);
      seconds += samples.length / ESPEAK_RATE;
      onProgress?.(seconds, soFar);
      return false;
    });
    return soFar();
  }
}

/** A file of the program's data, such as `phontab`, for another program that reads them. */
export async function espeakTable(name: string): Promise<Uint8Array> {
  return (await loadModule()).FS.readFile(`/usr/share/espeak-ng-data/${name}`);
}

async function loadModule(): Promise<RawModule> {
  const file = createRequire(import.meta.url).resolve('@echogarden/espeak-ng-emscripten');
  const loaded: unknown = await import(pathToFileURL(file).href);
  return moduleFactory(loaded)();
}

function moduleFactory(loaded: unknown): () => Promise<RawModule> {
  if (typeof loaded === 'object' && loaded !== null && 'default' in loaded && typeof loaded.default === 'function') {
    return loaded.default as () => Promise<RawModule>;
  }
  throw new Error('expected the eSpeak NG package to export a function that loads it');
}

function isSame(ready: EspeakSettings | 'anything' | undefined, { voice, rate, range }: EspeakSettings): boolean {
  return typeof ready === 'object' && ready.voice === voice && ready.rate === rate && ready.range === range;
}

function joinSamples(chunks: readonly Int16Array[]): Float32Array {
  const out = new Float32Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) for (const sample of chunk) out[at++] = sample / 32_768;
  return out;
}

/** A phone lasts until the next one; a word's phones follow its word event. */
function phonesOf(events: readonly RawEvent[], seconds: number): EspeakPhone[] {
  const phones: { symbol: string; start: number; codePoint: number }[] = [];
  let codePoint = 0;
  for (const event of events) {
    if (event.type === 'word') codePoint = event.text_position - 1;
    // `(en)` marks a word that is read by another language's rules; it is not a sound.
    if (event.type !== 'phoneme' || typeof event.id !== 'string' || event.id.startsWith('(')) continue;
    phones.push({ symbol: event.id, start: event.audio_position / 1000, codePoint });
  }
  return phones.map((phone, index) => ({ ...phone, end: Math.max(phone.start, phones[index + 1]?.start ?? seconds) }));
}
