import type { SlideDocument, VideoDocument } from '@figurehead/contract/document';
import { leadInSeconds, SILENT_SECONDS, TAIL_SECONDS } from '@figurehead/contract/document/timing';
import { type FrameRate, framesFor, frameToSample, secondsToSamples } from '@figurehead/presenter/time';
import type { ChapterMark, Cue } from '../../encode/contract.js';
import type { Marks } from '../../speech/contract.js';
import { shownText } from '../../speech/text/script.js';
import { cuesOf } from './cues.js';

/** A slide's speech without its samples, for timing and faces. */
export interface SpeechTrack {
  /** Length of the audio in samples. */
  readonly samples: number;
  readonly marks: Marks;
  /** See `energyOf` in speech/. */
  readonly energy: Float32Array;
  /** BCP 47 tag or English name of its language, where known. */
  readonly language?: string | undefined;
}

/** One slide on the video's clock. */
export interface SlideTime {
  readonly startFrame: number;
  readonly frames: number;
  /** Sample of the video at which the speech begins; always a frame's first sample. Null: a silent slide. */
  readonly speechStart: number | null;
}

/** When everything happens. */
export interface Timeline {
  readonly fps: FrameRate;
  /** Length of the video. */
  readonly frames: number;
  readonly samples: number;
  /** One for each slide of the document. */
  readonly slides: readonly SlideTime[];
  readonly chapters: readonly ChapterMark[];
  readonly cues: readonly Cue[];
  /** The language that is spoken longest, as its speech gives it; absent where none is known. */
  readonly language?: string | undefined;
}

/**
 * Places the slides one after the other. Speech with its lead-in and tail determines a slide's length; its `duration`
 * is a minimum. Pure. `speeches` has one entry per slide, null for a slide without speech.
 */
export function planTimeline(document: VideoDocument, speeches: readonly (SpeechTrack | null)[]): Timeline {
  const { fps } = document.data;
  const leadIn = Math.round(leadInSeconds(fps) * fps);
  const slides: SlideTime[] = [];
  const chapters: ChapterMark[] = [];
  const cues: Cue[] = [];
  let startFrame = 0;
  for (const [index, slide] of document.slides.entries()) {
    const speech = speeches[index] ?? null;
    const frames = Math.max(1, slideFrames(slide, speech, fps, leadIn));
    const speechStart = speech === null ? null : frameToSample(startFrame + leadIn, fps);
    slides.push({ startFrame, frames, speechStart });
    chapters.push({ start: startFrame / fps, end: (startFrame + frames) / fps, title: titleOf(slide, index) });
    if (speech !== null && speechStart !== null) {
      cues.push(
        ...cuesOf(shownText(slide.speech), speech.marks.words, {
          startSample: speechStart,
          endSeconds: (startFrame + frames) / fps,
        }),
      );
    }
    startFrame += frames;
  }
  return {
    fps,
    frames: startFrame,
    samples: frameToSample(startFrame, fps),
    slides,
    chapters,
    cues,
    language: spokenLongest(speeches),
  };
}

function spokenLongest(speeches: readonly (SpeechTrack | null)[]): string | undefined {
  const samples = new Map<string, number>();
  for (const speech of speeches) {
    if (speech?.language === undefined) continue;
    samples.set(speech.language, (samples.get(speech.language) ?? 0) + speech.samples);
  }
  return [...samples].sort(([, a], [, b]) => b - a)[0]?.[0];
}

function slideFrames(slide: SlideDocument, speech: SpeechTrack | null, fps: FrameRate, leadIn: number): number {
  const spoken = speech === null ? 0 : leadIn + framesFor(speech.samples + secondsToSamples(TAIL_SECONDS), fps);
  const wanted = slide.duration ?? (speech === null ? SILENT_SECONDS : 0);
  return Math.max(spoken, Math.round(wanted * fps));
}

/** A slide's own title, else the first line of its largest text, else its number. */
function titleOf(slide: SlideDocument, index: number): string {
  let best: { size: number; text: string } | null = null;
  for (const object of slide.objects) {
    if (object.type !== 'text' && object.type !== 'textbox') continue;
    const size = object.style.fontSize * object.scaleY;
    const text = object.text.trim().split('\n')[0]?.trim() ?? '';
    if (text !== '' && (best === null || size > best.size)) best = { size, text };
  }
  const title = slide.title ?? best?.text ?? `Slide ${index + 1}`;
  return title.length > 80 ? `${title.slice(0, 79).trimEnd()}…` : title;
}
