import type { SceneObject, VideoDocument, VideoObject } from '@figurehead/contract/document';
import { frameToSample } from '@figurehead/presenter/time';
import type { Timeline } from './timeline.js';

/** The sound of a clip with its position in the video. */
export interface ClipSound {
  readonly src: string;
  /** Place in the document, for messages. */
  readonly at: string;
  /** First sample in the video, and the maximum length. */
  readonly start: number;
  readonly samples: number;
  /** 0 to 1. */
  readonly volume: number;
  readonly loop: boolean;
  /** Part of the clip that plays; `untilSeconds` null: to its end. */
  readonly fromSeconds: number;
  readonly untilSeconds: number | null;
}

/** Every audible clip, in order of time. */
export function clipSounds(document: VideoDocument, timeline: Timeline): ClipSound[] {
  return document.slides.flatMap((slide, index) => {
    const time = timeline.slides[index];
    if (time === undefined) return [];
    const place = {
      start: frameToSample(time.startFrame, timeline.fps),
      samples: frameToSample(time.frames, timeline.fps),
    };
    const sounds: ClipSound[] = slide.objects.filter(isAudible).map((clip) => ({
      ...place,
      src: clip.src,
      at: `${clip.at}.src`,
      volume: clip.volume,
      loop: clip.loop,
      fromSeconds: clip.startSeconds,
      untilSeconds: clip.endSeconds,
    }));
    const { background } = slide;
    if (background.kind !== 'video' || background.volume === 0) return sounds;
    const at = `slides[${index}].canvas.background`;
    const { src, volume } = background;
    return [...sounds, { ...place, src, at, volume, loop: true, fromSeconds: 0, untilSeconds: null }];
  });
}

function isAudible(object: SceneObject): object is VideoObject {
  return object.type === 'video' && object.volume > 0;
}
