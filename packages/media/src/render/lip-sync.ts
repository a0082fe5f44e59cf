import type { LipSync } from '@figurehead/contract';
import type { VideoDocument } from '@figurehead/contract/document';
import {
  CONSONANT_SHAPES,
  createFaceTrack,
  type FaceTrackInput,
  type Pose,
  visemeOf,
} from '@figurehead/presenter/face';
import { frameToSample, SAMPLE_RATE } from '@figurehead/presenter/time';
import type { Pcm } from '../audio.js';
import { faceOf } from '../scene/resolved-slide.js';
import type { SpeechTrack, Timeline } from '../scene/timeline/timeline.js';

/** Peaks per second of the waveform: enough for a screen that shows ten seconds. */
export const PEAKS_PER_SECOND = 50;

/** The curves and their values in a pose. */
const CURVES: readonly (readonly [name: string, of: (mouth: Pose['mouth']) => number])[] = [
  ['open', (mouth) => mouth.open],
  ['spread', (mouth) => Math.max(0, mouth.width)],
  ['round', (mouth) => Math.max(0, -mouth.width)],
  ['smile', (mouth) => mouth.smile],
  ...CONSONANT_SHAPES.map((shape) => [shape, (mouth: Pose['mouth']) => mouth.consonants[shape] ?? 0] as const),
];

/** Builds the sheet. `speeches` come from the timeline, `peaks` from {@link watchPeaks}. Pure. */
export function lipSyncOf(
  { document, timeline }: { readonly document: VideoDocument; readonly timeline: Timeline },
  speeches: readonly (SpeechTrack | null)[],
  peaks: readonly number[],
): LipSync {
  const { fps, frames } = timeline;
  const words: LipSync['words'] = [];
  const phonemes: LipSync['phonemes'] = [];
  const values = CURVES.map(() => new Array<number>(frames).fill(0));
  for (const [index, slide] of document.slides.entries()) {
    const [time, speech] = [timeline.slides[index], speeches[index] ?? null];
    if (time === undefined || time.speechStart === null || speech === null) continue;
    const start = time.speechStart;
    const secondsOf = (sample: number): number => rounded((start + sample) / SAMPLE_RATE);
    for (const word of speech.marks.words) {
      words.push({ text: word.text, start: secondsOf(word.start), end: secondsOf(word.end) });
    }
    for (const mark of speech.marks.phonemes) {
      const viseme = visemeOf(mark.phone);
      phonemes.push({ phoneme: mark.phone, viseme, start: secondsOf(mark.start), end: secondsOf(mark.end) });
    }
    if (slide.avatar === null) continue;
    const face: FaceTrackInput = faceOf({ slide, time, speech }, { fps, seed: document.data.seed });
    const track = createFaceTrack(face);
    for (let frame = 0; frame < time.frames; frame++) {
      const { mouth } = track.poseAt(frameToSample(frame, fps));
      for (const [at, [, of]] of CURVES.entries()) values[at]![time.startFrame + frame] = rounded(of(mouth));
    }
  }
  return {
    fps,
    duration: rounded(frames / fps),
    peaksPerSecond: PEAKS_PER_SECOND,
    peaks: [...peaks],
    words,
    phonemes,
    curves: CURVES.map(([name], at) => ({ name, values: values[at]! })),
  };
}

/** Passes sound through and appends the peak of each 1 / {@link PEAKS_PER_SECOND} s to `peaks`. */
export async function* watchPeaks(sound: AsyncIterable<Pcm>, peaks: number[]): AsyncGenerator<Pcm> {
  const width = SAMPLE_RATE / PEAKS_PER_SECOND;
  let filled = 0;
  let peak = 0;
  for await (const part of sound) {
    for (const sample of part) {
      peak = Math.max(peak, Math.abs(sample));
      if (++filled < width) continue;
      peaks.push(rounded(peak));
      filled = 0;
      peak = 0;
    }
    yield part;
  }
  if (filled > 0) peaks.push(rounded(peak));
}

/** Three decimals: a millisecond, or the visible precision of a curve. Full precision would triple the sheet. */
function rounded(value: number): number {
  return Math.round(Math.min(1e6, Math.max(0, value)) * 1000) / 1000;
}
