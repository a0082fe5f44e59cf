import { isRecorded, type Slide } from './document.js';
import { isRecord } from './field.js';
import type { CanvasObject } from './objects/index.js';

/** A text of a video that is read or spoken; `id` is its place, such as `slides[2].speech`. */
export interface VideoText {
  readonly id: string;
  readonly text: string;
}

/** All texts of the slides in order: the speech, then the texts on the canvas, without empty ones. */
export function textsOf(slides: readonly Slide[]): VideoText[] {
  const found: VideoText[] = [];
  rewrite(slides, (id, text) => {
    found.push({ id, text });
    return text;
  });
  return found;
}

/**
 * The slides with other texts, by the ids of {@link textsOf}; other texts are kept. A slide with a changed script loses
 * its stored speech and its recording, and is spoken by its voice.
 */
export function withTexts(slides: readonly Slide[], texts: ReadonlyMap<string, string>): Slide[] {
  return rewrite(slides, (id, text) => texts.get(id) ?? text);
}

function rewrite(slides: readonly Slide[], change: (id: string, text: string) => string): Slide[] {
  const told = (id: string, text: string) => (text.trim() === '' ? text : change(id, text));
  const object = (one: CanvasObject, at: string): CanvasObject => {
    if (Array.isArray(one.objects)) {
      const parts = one.objects.map((part, index) =>
        isRecord(part) ? object(part as CanvasObject, `${at}.objects[${index}]`) : part,
      );
      return { ...one, objects: parts as NonNullable<CanvasObject['objects']> };
    }
    return typeof one.text === 'string' ? { ...one, text: told(`${at}.text`, one.text) } : one;
  };
  return slides.map((slide, index) => {
    const at = `slides[${index}]`;
    const { audio, recording, ...rest } = slide;
    const speech = slide.speech == null ? slide.speech : told(`${at}.speech`, slide.speech);
    const objects = slide.canvas?.objects?.map((one, place) => object(one, `${at}.canvas.objects[${place}]`));
    return {
      ...rest,
      ...(speech === slide.speech
        ? { ...(audio && { audio }), ...(recording && { recording }) }
        : isRecorded(slide) && { voiceType: 'text' }),
      ...(speech !== undefined && { speech }),
      ...(slide.canvas && { canvas: { ...slide.canvas, ...(objects && { objects }) } }),
    };
  });
}
