/** Mouth shapes from sound alone, for speech whose text is not known. */
import { setImmediate } from 'node:timers/promises';
import type { Pcm } from '../../audio.js';
import { SAMPLE_RATE } from '../../time.js';
import type { Marks, PhonemeMark } from '../contract.js';
import { addMark, createSoundMarker } from './marker.js';

export { createSoundMarker, type SoundMarker } from './marker.js';

/** Samples that are looked at before other work has its turn: a second, which takes a few milliseconds. */
const TURN = SAMPLE_RATE;

/**
 * The phones of a recording of speech in any language, one for each class of mouth shapes (`b` stands for p, b and m); no words.
 * Where the text is known, alignment finds more. Silence, noise and music are silence. Marks cover the sound without gaps; empty sound
 * has none.
 * @param samples 48 kHz mono.
 * @throws RangeError for samples that are not finite; the signal's reason when it is aborted.
 */
export async function marksFromSound(samples: Pcm, options: { readonly signal?: AbortSignal } = {}): Promise<Marks> {
  const marker = createSoundMarker();
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
