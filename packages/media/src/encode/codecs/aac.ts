import type { Pcm } from '../../audio.js';
import { avc } from '../av.js';
import type { SoundStream } from '../contract.js';
import type { SoundCodec, SoundSettings } from '../sound/sound.js';
import { openSoundInPieces, type SoundStore } from '../sound/sound-pieces.js';

/** Samples an AAC-LC packet lasts. */
export const AAC_FRAME = 1024;

/** AAC-LC as FFmpeg's own encoder makes it. */
export const AAC: SoundCodec = {
  codec: 'aac',
  encoder: 'aac',
  sampleFormat: avc.AV_SAMPLE_FMT_FLTP,
  planar: true,
  frameSamples: AAC_FRAME,
  bitRate: 128_000,
  options: { aac_coder: 'fast' },
};

/**
 * Encodes a soundtrack as AAC-LC, 128 kbit/s unless told otherwise; the first packet is priming. Pieces of it that `kept` has are taken from there; it
 * gets the others.
 */
export function openAac(
  audio: Pcm | AsyncIterable<Pcm>,
  settings: SoundSettings & { readonly kept?: SoundStore } = {},
): SoundStream {
  return openSoundInPieces(AAC, audio, settings);
}
