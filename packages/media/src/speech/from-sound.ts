/** Mouth shapes from sound alone, for speech without a known text. */
import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import {
  addMark,
  openNetwork,
  type PhoneClassifier,
  SoundMarker,
  type StoredNetwork,
} from '@figurehead/presenter/sound';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import type { Pcm } from '../audio.js';
import type { Marks, PhonemeMark } from './contract.js';

/** Samples processed before yielding to the event loop: one second, which takes a few milliseconds. */
const TURN = SAMPLE_RATE;

/** Reads the classifier from `npm run train:from-sound`. */
export function readClassifier(): PhoneClassifier {
  return openNetwork(createRequire(import.meta.url)('@figurehead/presenter/network.json') as StoredNetwork);
}

/**
 * The phones of a recording of speech in any language, one for each viseme (`b` represents p, b and m), without words. If the text is
 * known, alignment is more precise. Noise and music count as silence. Marks cover the sound without gaps; empty sound has none.
 * @param samples 48 kHz mono.
 * @throws RangeError for samples that are not finite; the signal's reason when it is aborted.
 */
export async function marksFromSound(samples: Pcm, options: { readonly signal?: AbortSignal } = {}): Promise<Marks> {
  const marker = new SoundMarker(readClassifier());
  const phonemes: PhonemeMark[] = [];
  for (let at = 0; at < samples.length; at += TURN) {
    options.signal?.throwIfAborted();
    for (const mark of marker.push(samples.subarray(at, at + TURN))) addMark(phonemes, mark);
    await setImmediate();
  }
  options.signal?.throwIfAborted();
  for (const mark of marker.end()) addMark(phonemes, mark);
  return { phonemes, words: [] };
}
