import { digestOf } from '../../digest.js';
import type { ByteStore } from '../../folder-store.js';
import { hashFile } from '../../scene/assets.js';
import type { Speech } from '../../speech/catalogue.js';
import type { SpokenText } from '../../speech/contract.js';
import type { RecordedOptions } from '../../speech/recording/recording.js';
import type { ResolvedVoice } from '../contract.js';
import { unlessDamaged } from '../segments/segment-cache.js';

// An utterance as bytes: the length of its marks, its marks as JSON, its samples as 32-bit floats. Uncompressed, because the cached sound must be
// identical: faces depend on the samples.

/** Marks are padded, so that the floats after them begin at a multiple of their size. */
const ALIGNMENT = 4;

/** Increase it when an engine speaks the same text differently. */
const REVISION = 5;

/** An utterance and whether it came from the cache. */
export interface CachedUtterance {
  readonly utterance: SpokenText;
  readonly reused: boolean;
}

/** The engine, and the workspace's cache of its speech. */
interface SpeechSource {
  readonly speech: Pick<Speech, 'utter' | 'recorded'>;
  readonly store: ByteStore | undefined;
}

/** Synthesizes a text, or reads it from the workspace's cache. Throws as `Speech.utter`. */
export async function utterCached(
  { speech, store }: SpeechSource,
  { provider, ...voice }: ResolvedVoice,
  { text, signal }: { readonly text: string; readonly signal: AbortSignal },
): Promise<CachedUtterance> {
  const facts = [provider, Object.entries(voice).sort(([a], [b]) => (a < b ? -1 : 1)), text];
  // With a disk cache, the memory cache (64 MB per worker) would never be used.
  return cached(store, facts, () => speech.utter(provider, text, { ...voice, signal, fresh: store !== undefined }));
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
  const name = `${digestOf([REVISION, ...facts])}.speech`;
  const found = unlessDamaged(await store?.get(name), parse);
  if (found !== undefined) return { utterance: found, reused: true };
  const utterance = await make();
  await store?.put(name, format(utterance));
  return { utterance, reused: false };
}

function format({ samples, marks }: SpokenText): Buffer {
  const json = Buffer.from(JSON.stringify(marks));
  const padded = Math.ceil(json.length / ALIGNMENT) * ALIGNMENT;
  const head = Buffer.alloc(4 + padded, ' ');
  head.writeUInt32LE(padded, 0);
  json.copy(head, 4);
  return Buffer.concat([head, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)]);
}

/** Throws a RangeError or SyntaxError for damaged bytes. */
function parse(bytes: Buffer): SpokenText {
  const length = bytes.readUInt32LE(0);
  const marks = JSON.parse(bytes.toString('utf8', 4, 4 + length)) as SpokenText['marks'];
  const sound = Uint8Array.from(bytes.subarray(4 + length));
  return { marks, samples: new Float32Array(sound.buffer) };
}
