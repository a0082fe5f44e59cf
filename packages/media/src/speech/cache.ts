import { createHash } from 'node:crypto';
import type { ProviderName, SpeechChunk, SpeechOptions } from './contract.js';

interface Entry {
  readonly voice: string;
  readonly chunks: readonly SpeechChunk[];
  readonly bytes: number;
}

/** Estimated bytes of one mark as the engine keeps it. */
const MARK_BYTES = 100;

/** Spoken utterances, kept in memory up to a size; what was used longest ago leaves first. */
export class SpeechCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The utterance's chunks, or `undefined`. Callers must not write to them. */
  get(key: string): readonly SpeechChunk[] | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.chunks;
  }

  /** Keeps a whole utterance, unless it is larger than the cache. */
  set(key: string, voice: string, chunks: readonly SpeechChunk[]): void {
    const bytes = chunks.reduce(
      (sum, { samples, marks }) => sum + samples.byteLength + MARK_BYTES * (marks.phonemes.length + marks.words.length),
      0,
    );
    if (bytes > this.#maxBytes) return;
    this.#remove(key);
    this.#entries.set(key, { voice, chunks, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#remove(oldest);
    }
  }

  /** Drops everything that was said with a voice. */
  forget(voice: string): void {
    for (const [key, entry] of this.#entries) if (entry.voice === voice) this.#remove(key);
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

/** Key of an utterance: a digest of everything that changes its sound. */
export function speechKey(provider: ProviderName, text: string, options: SpeechOptions): string {
  const { voice, speed = 1, stability = null, locale = null, pronunciations = {} } = options;
  const words = Object.entries(pronunciations).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([provider, voice, speed, stability, locale, words, text]))
    .digest('hex');
}
