import type { Pcm } from '../../audio.js';
import { avc } from '../av.js';
import type { SoundStream } from '../contract.js';
import { openSoundStream, type SoundSettings } from '../sound/sound.js';

/** Samples per packet: 20 ms at 48 kHz. */
const OPUS_FRAME = 960;

/** Encodes a soundtrack as Opus, 96 kbit/s by default: more than speech needs, because music may be mixed in. */
export function openOpus(audio: Pcm | AsyncIterable<Pcm>, settings: SoundSettings = {}): SoundStream {
  const codec = {
    codec: 'opus' as const,
    encoder: 'libopus',
    sampleFormat: avc.AV_SAMPLE_FMT_FLT,
    frameSamples: OPUS_FRAME,
    bitRate: 96_000,
    options: { frame_duration: '20', application: 'audio' },
  };
  return openSoundStream(codec, audio, settings);
}
