import { LRUCache } from 'lru-cache';
import { digestOf } from '../digest.js';
import type { ProviderName, SpeechChunk, SpeechOptions } from './contract.js';

interface Entry {
  readonly voice: string;
  readonly chunks: readonly SpeechChunk[];
}

/** Estimated bytes of one mark in memory. */
const MARK_BYTES = 100;

/** LRU cache of utterances in memory, limited by bytes. */
export class SpeechCache {
  readonly #entries: LRUCache<string, Entry> | undefined;

  /** @param maxBytes `0` disables the cache. */
  constructor(maxBytes: number) {
    this.#entries = maxBytes > 0 ? new LRUCache({ maxSize: maxBytes, sizeCalculation: bytesOf }) : undefined;
  }

  /** The utterance's chunks, or `undefined`. Callers must not write to them. */
  get(key: string): readonly SpeechChunk[] | undefined {
    return this.#entries?.get(key)?.chunks;
  }

  /** Stores a whole utterance, unless it is larger than the cache. */
  set(key: string, voice: string, chunks: readonly SpeechChunk[]): void {
    this.#entries?.set(key, { voice, chunks });
  }

  /** Drops all utterances of a voice. */
  forget(voice: string): void {
    const entries = this.#entries;
    for (const key of [...(entries?.keys() ?? [])]) if (entries?.peek(key)?.voice === voice) entries.delete(key);
  }
}

function bytesOf({ chunks }: Entry): number {
  return chunks.reduce(
    (sum, { samples, marks }) => sum + samples.byteLength + MARK_BYTES * (marks.phonemes.length + marks.words.length),
    1,
  );
}

/** Key of an utterance: a digest of everything that changes its sound. */
export function speechKey(provider: ProviderName, text: string, options: SpeechOptions): string {
  const { voice, speed = 1, stability = null, locale = null, pronunciations = {}, isContinued = false } = options;
  const words = Object.entries(pronunciations).sort(([a], [b]) => (a < b ? -1 : 1));
  return digestOf([provider, voice, speed, stability, locale, words, isContinued, text]);
}
