import { type ObjectAnimation, type SlideDocument, type WordAnchor, wordAt } from '@figurehead/contract/document';
import { type FrameRate, frameToSample, samplesToSeconds } from '@figurehead/presenter/time';
import type { SlideTime, SpeechTrack } from './timeline.js';

/** A slide and the times of its speech. */
interface SpokenSlide {
  readonly slide: SlideDocument;
  readonly time: SlideTime;
  readonly speech: SpeechTrack | null;
}

/**
 * The slide with all entrances and exits as seconds. Those at a word start with the word; if the word is not spoken,
 * the second in the document is used.
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
