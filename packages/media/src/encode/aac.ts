import type { Pcm } from '../audio.js';
import { avc } from './av.js';
import type { SoundStream } from './contract.js';
import { openSoundStream, type SoundSettings } from './sound.js';

/** Samples an AAC-LC packet lasts. */
export const AAC_FRAME = 1024;

/** Encodes a soundtrack as AAC-LC, 128 kbit/s unless told otherwise; the first packet is priming. */
export function openAac(audio: Pcm | AsyncIterable<Pcm>, settings: SoundSettings = {}): SoundStream {
  const codec = {
    codec: 'aac' as const,
    encoder: 'aac',
    sampleFormat: avc.AV_SAMPLE_FMT_FLTP,
    planar: true,
    frameSamples: AAC_FRAME,
    bitRate: 128_000,
    options: { aac_coder: 'fast' },
  };
  return openSoundStream(codec, audio, settings);
}
