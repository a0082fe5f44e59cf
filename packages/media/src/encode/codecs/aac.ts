import type { Pcm } from '../../audio.js';
import { avc } from '../av.js';
import type { SoundStream } from '../contract.js';
import type { SoundCodec, SoundSettings } from '../sound/sound.js';
import { openSoundInPieces, type SoundStore } from '../sound/sound-pieces.js';

/** Samples per AAC-LC packet. */
export const AAC_FRAME = 1024;

/** AAC-LC by FFmpeg's own encoder. */
export const AAC: SoundCodec = {
  codec: 'aac',
  encoder: 'aac',
  sampleFormat: avc.AV_SAMPLE_FMT_FLTP,
  frameSamples: AAC_FRAME,
  bitRate: 128_000,
  options: { aac_coder: 'fast' },
};

/**
 * Encodes a soundtrack as AAC-LC, 128 kbit/s by default; the first packet is priming. Pieces that the cache `kept`
 * contains are taken from there; the others are added to it.
 */
export function openAac(
  audio: Pcm | AsyncIterable<Pcm>,
  settings: SoundSettings & { readonly kept?: SoundStore | undefined } = {},
): SoundStream {
  return openSoundInPieces(AAC, audio, settings);
}
