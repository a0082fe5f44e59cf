import { readFile } from 'node:fs/promises';
import type { VideoDocument } from '@figurehead/contract/document';
import { containerOf } from '@figurehead/contract/document';
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

/** What the soundtrack of a video is made of. */
export interface SoundJob {
  readonly document: VideoDocument;
  readonly timeline: Timeline;
  readonly speech: readonly (SpokenSlide | null)[];
  readonly assets: Assets;
  readonly settings: VideoSettings;
  readonly signal?: AbortSignal;
  /** Has pieces of AAC of earlier renders. */
  readonly kept?: SoundStore | undefined;
}

/** A soundtrack on its way. */
export interface EncodedSound {
  readonly sound: SoundStream;
  /** As `watchPeaks` counts them; complete when the sound has been taken to its end. */
  readonly peaks: readonly number[];
}

/** Mixes speech, music and clips, and encodes the mix while it is taken. Its packets throw a `SceneError` for media that cannot be used. */
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

/** Encodes a soundtrack the way it accompanies pictures of these settings. */
export function openSound(
  audio: Pcm | AsyncIterable<Pcm>,
  { codec }: Pick<VideoSettings, 'codec'>,
  { signal, kept }: Pick<SoundJob, 'signal' | 'kept'> = {},
): SoundStream {
  const options = signal ? { signal } : {};
  if (containerOf(codec).sound === 'opus') return openOpus(audio, options);
  return openAac(audio, { ...options, ...(kept ? { kept } : {}) });
}

async function readSamples(slide: SpokenSlide | null): Promise<Pcm> {
  if (slide === null) return silence(0);
  // Copied: floats begin at a multiple of four bytes.
  return new Float32Array(Uint8Array.from(await readFile(slide.samples)).buffer);
}

/** The sound of a clip, or null when it has none. */
async function decodeSound(file: string, options: { maxSeconds: number }): Promise<Pcm | null> {
  const { audio } = await probe(file);
  return audio === undefined ? null : decodeAudio(file, options);
}
