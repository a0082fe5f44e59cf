import { type ObjectAnimation, type SlideDocument, type WordAnchor, wordAt } from '@figurehead/contract/document';
import { type FrameRate, frameToSample, samplesToSeconds } from '../../time.js';
import type { SlideTime, SpeechTrack } from './timeline.js';

/** A slide and when it is spoken. */
interface SpokenSlide {
  readonly slide: SlideDocument;
  readonly time: SlideTime;
  readonly speech: SpeechTrack | null;
}

/**
 * The slide with every entrance and exit at a second of its own: those at a word begin when the word does. A word that is not said
 * leaves the second that is written beside it.
 */
export function atSpokenTimes({ slide, time, speech }: SpokenSlide, fps: FrameRate): SlideDocument {
  const begin = time.speechStart === null ? 0 : time.speechStart - frameToSample(time.startFrame, fps);
  const secondOf = (anchor: WordAnchor | null): number | undefined => {
    const word = anchor === null ? undefined : wordAt(speech?.marks.words ?? [], anchor);
    return word && samplesToSeconds(begin + word.start);
  };
  const timed = (animation: ObjectAnimation | null): ObjectAnimation | null => {
    if (animation === null || (animation.startWord ?? animation.exitWord) === null) return animation;
    const { startWord, exitWord, startSeconds, exitAt, ...rest } = animation;
    return {
      ...rest,
      startWord: null,
      exitWord: null,
      startSeconds: secondOf(startWord) ?? startSeconds,
      exitAt: secondOf(exitWord) ?? exitAt,
    };
  };
  return {
    ...slide,
    animation: timed(slide.animation),
    objects: slide.objects.map((object) => ({ ...object, animation: timed(object.animation) })),
  };
}
