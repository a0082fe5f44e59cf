import { readFile } from 'node:fs/promises';
import type { VideoDocument } from '@figurehead/contract/document';
import { containerOf } from '@figurehead/contract/document/codec';
import { type Pcm, silence } from '../../audio.js';
import { openAac } from '../../encode/codecs/aac.js';
import { openOpus } from '../../encode/codecs/opus.js';
import type { SoundStream, VideoSettings } from '../../encode/contract.js';
import { decodeAudio, probe } from '../../encode/input/decode.js';
import type { SoundStore } from '../../encode/sound/sound-pieces.js';
import type { Assets } from '../../scene/assets.js';
import { mixSound } from '../../scene/timeline/mix.js';
import type { Timeline } from '../../scene/timeline/timeline.js';
import { watchPeaks } from '../lip-sync.js';
import { type SpokenSlide, tracksOf } from './speak-slides.js';

/** Inputs of a video's soundtrack. */
export interface SoundJob {
  readonly document: VideoDocument;
  readonly timeline: Timeline;
  readonly speech: readonly (SpokenSlide | null)[];
  readonly assets: Assets;
  readonly settings: VideoSettings;
  readonly signal?: AbortSignal | undefined;
  /** Cache of AAC pieces from earlier renders. */
  readonly kept?: SoundStore | undefined;
}

/** A soundtrack that is encoded while it is consumed. */
export interface EncodedSound {
  readonly sound: SoundStream;
  /** Peaks from `watchPeaks`; complete when the sound has been consumed. */
  readonly peaks: readonly number[];
}

/** Mixes speech, music and clips, and encodes the mix while it is consumed. Its packets throw a `SceneError` for unusable media. */
export function encodeSound({ document, timeline, speech, assets, settings, ...options }: SoundJob): EncodedSound {
  const mix = mixSound({
    document,
    timeline,
    speeches: tracksOf(speech),
    speech: (slide) => readSamples(speech[slide] ?? null),
    assets,
    decodeAudio: decodeSound,
  });
  const peaks: number[] = [];
  return { sound: openSound(watchPeaks(mix, peaks), settings, options), peaks };
}

/** Encodes a soundtrack with the audio codec for these video settings. */
export function openSound(
  audio: Pcm | AsyncIterable<Pcm>,
  { codec }: Pick<VideoSettings, 'codec'>,
  options: Pick<SoundJob, 'signal' | 'kept'> = {},
): SoundStream {
  return containerOf(codec).sound === 'opus' ? openOpus(audio, options) : openAac(audio, options);
}

async function readSamples(slide: SpokenSlide | null): Promise<Pcm> {
  if (slide === null) return silence(0);
  // Copied, because floats must begin at a multiple of four bytes.
  return new Float32Array(Uint8Array.from(await readFile(slide.samples)).buffer);
}

/** The sound of a clip, or null when it has none. */
async function decodeSound(file: string, options: { maxSeconds: number }): Promise<Pcm | null> {
  const { audio } = await probe(file);
  return audio === undefined ? null : decodeAudio(file, options);
}
