import type { VideoDocument } from '@figurehead/contract/document';
import { SAMPLE_RATE, secondsToSamples } from '@figurehead/presenter/time';
import type { Pcm } from '../../audio.js';
import { gainOf, integratedLoudness, LoudnessMeter, limitInPieces, SPEECH_LUFS } from '../../loudness.js';
import { type Assets, reasonOf, SceneError } from '../assets.js';
import { type ClipSound, clipSounds } from './clip-sounds.js';
import type { SpeechTrack, Timeline } from './timeline.js';

/** Loudness of a finished video (EBU R 128 s2 for streaming is −16 to −20; players on the web expect the upper end). */
const VIDEO_LUFS = -16;
/**
 * Step size of the final gain: a changed word changes loudness by hundredths, and the sound before it must stay the
 * same.
 */
const GAIN_STEP_DB = 0.1;
/** Quiet material is amplified at most this much, because more would be hiss. */
const MAX_GAIN_DB = 20;
/** Attenuation of music under speech, and the length of its ramps in seconds. */
const DUCK_DB = -8;
const DUCK_ATTACK = 0.2;
const DUCK_RELEASE = 0.8;
/** Music stays attenuated in shorter pauses. */
const DUCK_HOLD = 1.2;
const MUSIC_FADE_IN = 1;
const MUSIC_FADE_OUT = 2;
const LOOP_CROSSFADE = 1;
/** Longest piece of music that is decoded at once (115 MB); a longer one is cut and looped. */
const LONGEST_MUSIC_SECONDS = 600;
/** Longest sound of one clip. */
const LONGEST_CLIP_SECONDS = 600;

const CHUNK = 10 * SAMPLE_RATE;

/** Inputs of {@link mixSound}. */
export interface MixOptions {
  readonly document: VideoDocument;
  readonly timeline: Timeline;
  /** Speech of each slide, as the timeline was planned with. */
  readonly speeches: readonly (SpeechTrack | null)[];
  /**
   * Samples of that speech for the slide with this index; requested twice, in order, for each slide with a
   * `speechStart`.
   */
  readonly speech: (slide: number) => Promise<Pcm>;
  readonly assets: Assets;
  /**
   * Sound of a media file in mono, limited to a number of seconds; null when it has none. Rejects when the file is
   * damaged.
   */
  readonly decodeAudio: (file: string, options: { readonly maxSeconds: number }) => Promise<Pcm | null>;
}

/** A sound and its position in the video. */
interface Source {
  readonly start: number;
  readonly samples: number;
  /** Adds samples `from`…`from + into.length` of the video to `into`. */
  addTo(into: Pcm, from: number): Promise<void>;
}

/**
 * The video's whole sound in pieces of ten seconds: speech, music (looped, faded, ducked), clips; −16 LUFS with every
 * true peak under −1 dBTP. Deterministic. Throws a `SceneError` naming music or clip. Can be iterated once.
 */
export async function* mixSound(options: MixOptions): AsyncGenerator<Pcm> {
  const { timeline } = options;
  const sources = [...speechSources(options), ...(await clipSources(options)), ...(await musicSources(options))];
  const piece = async (from: number, to: number): Promise<Pcm> => {
    const out = new Float32Array(to - from);
    for (const source of sources) {
      if (source.start < to && source.start + source.samples > from) await source.addTo(out, from);
    }
    return out;
  };
  const meter = new LoudnessMeter();
  for (let from = 0; from < timeline.samples; from += CHUNK) {
    meter.add([await piece(from, Math.min(timeline.samples, from + CHUNK))]);
  }
  const loudness = meter.integrated();
  const wanted = Math.round((VIDEO_LUFS - loudness) / GAIN_STEP_DB) * GAIN_STEP_DB;
  const gain = Number.isFinite(loudness) ? gainOf(Math.min(MAX_GAIN_DB, wanted)) : 1;
  yield* limitInPieces(timeline.samples, async (from, to) => {
    const wide = await piece(from, to);
    for (let n = 0; n < wide.length; n++) wide[n]! *= gain;
    return wide;
  });
}

function speechSources({ timeline, speech }: MixOptions): Source[] {
  // Neighbouring pieces need the same slide, so the last one is cached.
  let held: { readonly index: number; readonly pcm: Promise<Pcm> } | null = null;
  return timeline.slides.flatMap((slide, index): Source[] => {
    const start = slide.speechStart;
    if (start === null) return [];
    const end = ((slide.startFrame + slide.frames) * SAMPLE_RATE) / timeline.fps;
    return [
      {
        start,
        samples: end - start,
        addTo: async (into, from) => {
          if (held?.index !== index) held = { index, pcm: speech(index) };
          const pcm = await held.pcm;
          addShifted(into, pcm, start - from, 1);
        },
      },
    ];
  });
}

function addShifted(into: Pcm, pcm: Pcm, shift: number, gain: number): void {
  const first = Math.max(0, shift);
  const last = Math.min(into.length, shift + pcm.length);
  for (let n = first; n < last; n++) into[n] = into[n]! + gain * pcm[n - shift]!;
}

async function clipSources(options: MixOptions): Promise<Source[]> {
  const sources: Source[] = [];
  for (const sound of clipSounds(options.document, options.timeline)) {
    const pcm = await decode(sound, options);
    if (pcm !== null) sources.push(clipSource(sound, pcm));
  }
  return sources;
}

function clipSource({ start, samples, volume, loop }: ClipSound, pcm: Pcm): Source {
  const length = loop ? samples : Math.min(samples, pcm.length);
  // A hard start or end in the middle of a sound would click.
  const edge = Math.min(0.02 * SAMPLE_RATE, length / 2);
  return {
    start,
    samples: length,
    addTo: async (into, from) => {
      const last = Math.min(into.length, start + length - from);
      for (let n = Math.max(0, start - from); n < last; n++) {
        const at = n + from - start;
        const fade = Math.min(1, at / edge, (length - at) / edge);
        into[n] = into[n]! + volume * fade * pcm[at % pcm.length]!;
      }
    },
  };
}

async function decode(sound: ClipSound, { assets, decodeAudio }: MixOptions): Promise<Pcm | null> {
  try {
    const skip = secondsToSamples(sound.fromSeconds);
    const wanted = Math.min(sound.samples / SAMPLE_RATE, LONGEST_CLIP_SECONDS);
    const until = Math.min(sound.untilSeconds ?? Number.POSITIVE_INFINITY, sound.fromSeconds + wanted);
    const pcm = await decodeAudio(await assets.file(sound.src), { maxSeconds: until });
    return pcm === null || pcm.length <= skip ? null : pcm.subarray(skip);
  } catch (cause) {
    throw new SceneError(sound.at, `the clip's sound cannot be used: ${reasonOf(cause)}`, { cause });
  }
}

async function musicSources(options: MixOptions): Promise<Source[]> {
  const { musicUrl, musicVolume } = options.document.data;
  if (musicUrl === null || musicVolume === 0) return [];
  const pcm = await loadMusic(musicUrl, options);
  const loudness = integratedLoudness([pcm]);
  if (!Number.isFinite(loudness)) return [];
  // Music is normalised to the level of speech first, so that a volume means the same for every piece.
  const level = musicVolume * gainOf(SPEECH_LUFS - loudness);
  const total = options.timeline.samples;
  const duck = duckingOf(options);
  const fadeIn = Math.min(secondsToSamples(MUSIC_FADE_IN), total / 2);
  const fadeOut = Math.min(secondsToSamples(MUSIC_FADE_OUT), total / 2);
  const loop = loopOf(pcm);
  return [
    {
      start: 0,
      samples: total,
      addTo: async (into, from) => {
        for (let n = 0; n < into.length; n++) {
          const at = from + n;
          const fade = Math.min(1, at / fadeIn, (total - at) / fadeOut);
          into[n] = into[n]! + level * fade * duck(at) * loop(at);
        }
      },
    },
  ];
}

async function loadMusic(src: string, { assets, decodeAudio }: MixOptions): Promise<Pcm> {
  try {
    const pcm = await decodeAudio(await assets.file(src), { maxSeconds: LONGEST_MUSIC_SECONDS });
    if (pcm === null || pcm.length === 0) throw new Error('expected a file with sound, found none');
    return pcm;
  } catch (cause) {
    throw new SceneError('data.musicUrl', `the music cannot be used: ${reasonOf(cause)}`, { cause });
  }
}

/** The piece repeated forever, each end cross-faded into the next start at constant power. */
function loopOf(pcm: Pcm): (at: number) => number {
  const cross = Math.min(secondsToSamples(LOOP_CROSSFADE), Math.floor(pcm.length / 4));
  const period = pcm.length - cross;
  return (at) => {
    const phase = at % period;
    const value = pcm[phase]!;
    if (at < period || phase >= cross) return value;
    const share = ((phase + 0.5) / cross) * (Math.PI / 2);
    return value * Math.sin(share) + pcm[phase + period]! * Math.cos(share);
  };
}

/**
 * Gain of the music at a sample: 1 between speeches, {@link DUCK_DB} during them, with linear ramps in decibels in
 * between.
 */
function duckingOf({ timeline, speeches }: MixOptions): (at: number) => number {
  const spans: { start: number; end: number }[] = [];
  for (const [index, slide] of timeline.slides.entries()) {
    const speech = speeches[index] ?? null;
    if (slide.speechStart === null || speech === null) continue;
    const span = { start: slide.speechStart, end: slide.speechStart + speech.samples };
    const last = spans.at(-1);
    if (last !== undefined && span.start - last.end < DUCK_HOLD * SAMPLE_RATE) last.end = span.end;
    else spans.push(span);
  }
  const ducked = gainOf(DUCK_DB);
  const attack = DUCK_ATTACK * SAMPLE_RATE;
  const release = DUCK_RELEASE * SAMPLE_RATE;
  let current = 0;
  return (at) => {
    // Positions almost always increase, so the search continues from the last span.
    if (spans[current - 1] !== undefined && at < spans[current - 1]!.end + release) current = 0;
    while (spans[current] !== undefined && at >= spans[current]!.end + release) current++;
    const span = spans[current];
    if (span === undefined || at < span.start - attack) return 1;
    // Most samples of a talk are fully ducked: this avoids computing a power.
    if (at >= span.start && at < span.end) return ducked;
    const depth = at < span.start ? (at - span.start + attack) / attack : 1 - (at - span.end) / release;
    return gainOf(DUCK_DB * depth);
  };
}
