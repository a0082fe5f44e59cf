import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { digestOf } from '../../digest.js';
import type { ByteStore } from '../../folder-store.js';
import { hashFile } from '../../scene/assets.js';
import type { Speech } from '../../speech/catalogue.js';
import { type KeepSentence, SpeechError, type SpokenText } from '../../speech/contract.js';
import type { RecordedOptions } from '../../speech/recording/recording.js';
import type { ResolvedVoice } from '../contract.js';
import { unlessDamaged } from '../segments/segment-cache.js';

// An utterance or a sentence as bytes: the length of its JSON, its marks or phones as JSON, its samples as 32-bit floats. Uncompressed, because
// the cached sound must be identical: faces depend on the samples.

/** JSON is padded, so that the floats after them begin at a multiple of their size. */
const ALIGNMENT = 4;

/** Increase it when an engine speaks the same text differently. */
const REVISION = 6;

/** An utterance and whether it came from the cache. */
export interface CachedUtterance {
  readonly utterance: SpokenText;
  readonly reused: boolean;
}

type SpokenSamples = Pick<SpokenText, 'samples'>;

/** The engine, and the workspace's cache of its speech. */
interface SpeechSource {
  readonly speech: Pick<Speech, 'utter' | 'recorded'>;
  readonly store: ByteStore | undefined;
}

/** Maximum minutes of a slide's speech: in memory an hour takes 700 MB. Words of 20 000 characters take half of it, figures and signs many times. */
const MAX_MINUTES = 60;

/** A limited time for synthesis, after which a job gives way to others. */
export class SpeechTurn {
  #since: number | undefined;
  #end: number | undefined;
  #found = 0;
  #made = 0;
  #isOver = false;

  /**
   * @param limits.ms time for synthesis, counted from the first sentence that is not in the cache; at least as long as finding the others took.
   * @param limits.spoken samples that earlier turns have left in the cache; a turn that finds fewer does not end, because more turns would not help.
   */
  constructor(
    private readonly limits: { readonly ms: number; readonly spoken: number },
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Begins to count the time for finding sentences. Idempotent. */
  begin(): void {
    this.#since ??= this.now();
  }

  /** Samples that are in the cache after this turn. */
  get spoken(): number {
    return this.#found + this.#made;
  }

  get spokenMs(): number {
    return (this.spoken * 1000) / SAMPLE_RATE;
  }

  /** Counts samples from the cache. Throws as {@link make} once another slide was interrupted. */
  found(samples: number): void {
    this.#found += samples;
    if (this.#isOver) throw interrupted();
  }

  /** Synthesizes, or throws a {@link SpeechError} `interrupted` when the turn is over. */
  async make<Spoken extends SpokenSamples>(speak: () => Promise<Spoken>): Promise<Spoken> {
    const now = this.now();
    this.#end ??= now + Math.max(this.limits.ms, now - (this.#since ?? now));
    this.#isOver ||= now >= this.#end && this.#made > 0 && this.#found >= this.limits.spoken;
    if (this.#isOver) throw interrupted();
    const spoken = await speak();
    this.#made += spoken.samples.length;
    return spoken;
  }
}

function interrupted(): SpeechError {
  return new SpeechError('interrupted', 'the speech is continued in a later turn');
}

/**
 * Synthesizes a text, or reads it from the workspace's cache. Throws as `Speech.utter`; `interrupted` at the end of the turn, with the sentences
 * so far in the cache.
 */
export async function utterCached(
  { speech, store }: SpeechSource,
  { provider, ...voice }: ResolvedVoice,
  {
    text,
    signal,
    turn,
  }: { readonly text: string; readonly signal: AbortSignal; readonly turn?: SpeechTurn | undefined },
): Promise<CachedUtterance> {
  const facts = [provider, Object.entries(voice).sort(([a], [b]) => (a < b ? -1 : 1)), text];
  // With a disk cache, the memory cache (64 MB per worker) would never be used.
  const options = { ...voice, signal, fresh: store !== undefined };
  if (store === undefined || turn === undefined) {
    return cached(store, facts, () => speech.utter(provider, text, options));
  }
  turn.begin();
  let samples = 0;
  const made = new Map<string, SpokenSamples>();
  const keep: KeepSentence = async (order, speak) => {
    const name = nameOf(['sentence', provider, order]);
    const kept = unlessDamaged(await store.get(name), parse<Awaited<ReturnType<typeof speak>>>);
    const spoken = kept ?? (await turn.make(speak));
    if (kept === undefined) made.set(name, spoken);
    else turn.found(spoken.samples.length);
    samples += spoken.samples.length;
    if (samples > MAX_MINUTES * 60 * SAMPLE_RATE) {
      const expected = `expected at most ${MAX_MINUTES} minutes of speech in a slide`;
      throw new SpeechError('bad_option', `${expected}, got more: figures and signs take long; divide the text`);
    }
    return spoken;
  };
  try {
    const utterance = await cached(store, facts, () => speech.utter(provider, text, { ...options, keep }));
    if (utterance.reused) turn.found(utterance.utterance.samples.length);
    return utterance;
  } catch (error) {
    if (error instanceof SpeechError && error.code === 'interrupted') {
      for (const [name, sentence] of made) await store.put(name, format(sentence));
    }
    throw error;
  }
}

/** Prepares a recording, or reads it from the workspace's cache: the same content and script give the same speech. Throws as `Speech.recorded`. */
export async function recordedCached(
  { speech, store }: SpeechSource,
  file: string,
  options: RecordedOptions,
): Promise<CachedUtterance> {
  const facts = ['recording', await hashFile(file), options.language, options.script];
  return cached(store, facts, () => speech.recorded(file, options));
}

async function cached(
  store: ByteStore | undefined,
  facts: readonly unknown[],
  make: () => Promise<SpokenText>,
): Promise<CachedUtterance> {
  const name = nameOf(facts);
  const found = unlessDamaged(await store?.get(name), parse<SpokenText>);
  if (found !== undefined) return { utterance: found, reused: true };
  const utterance = await make();
  await store?.put(name, format(utterance));
  return { utterance, reused: false };
}

function nameOf(facts: readonly unknown[]): string {
  return `${digestOf([REVISION, ...facts])}.speech`;
}

function format({ samples, ...rest }: SpokenSamples): Buffer {
  const json = Buffer.from(JSON.stringify(rest));
  const padded = Math.ceil(json.length / ALIGNMENT) * ALIGNMENT;
  const head = Buffer.alloc(4 + padded, ' ');
  head.writeUInt32LE(padded, 0);
  json.copy(head, 4);
  return Buffer.concat([head, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)]);
}

/** Throws a RangeError or SyntaxError for damaged bytes. */
function parse<Spoken extends SpokenSamples>(bytes: Buffer): Spoken {
  const length = bytes.readUInt32LE(0);
  const rest: unknown = JSON.parse(bytes.toString('utf8', 4, 4 + length));
  const sound = Uint8Array.from(bytes.subarray(4 + length));
  return Object.assign(rest as Omit<Spoken, 'samples'>, { samples: new Float32Array(sound.buffer) }) as Spoken;
}
