import type { Drawable, TextSetter } from '@figurehead/presenter/painting';
import type { FieldError } from '@figurehead/sdk';
import { sampleKey, sampleTexts } from '@figurehead/sdk/layouts';
import { drawableOf, sceneOf } from '../../shell/slide-painting.js';
import { canvasSizeOf, type Draft, isText, namesOf, objectsOf } from './document.js';

/** Something on a slide that renders, but was probably not meant so. */
export interface Remark {
  /** Index of the slide. */
  readonly slide: number;
  readonly message: string;
}

/** How far texts may reach into each other or over the edge, canvas units: letters are smaller than their lines. */
const TOLERANCE = 3;

interface Words {
  readonly name: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Texts that a layout suggests and that were left so, texts on other texts, and texts beyond the edge. */
export function remarksOn(draft: Pick<Draft, 'slides' | 'data'>, setter: Pick<TextSetter, 'layout'>): Remark[] {
  const samples = sampleTexts();
  const { width, height } = canvasSizeOf(draft);
  return draft.slides.flatMap((slide, index) => {
    const objects = objectsOf(slide);
    const names = namesOf(objects);
    const words: Words[] = [];
    const messages = objects.flatMap((object, at) => {
      const name = names[at] ?? '';
      if (!isText(object) || !object.text?.trim()) return [];
      const left = samples.has(sampleKey(object)) ? [`“${name}” is still the text of the layout`] : [];
      const scene = sceneOf(object);
      const box = scene && wordsOf(name, drawableOf(scene, setter, new Map()));
      if (!box) return left;
      const below = words.filter((other) => meet(other, box)).map((other) => `“${name}” is on “${other.name}”`);
      words.push(box);
      const isOver =
        Math.min(box.left, box.top) < -TOLERANCE || box.right > width + TOLERANCE || box.bottom > height + TOLERANCE;
      return [...left, ...below, ...(isOver ? [`“${name}” ends beyond the edge of the slide`] : [])];
    });
    return messages.map((message) => ({ slide: index, message }));
  });
}

/** The server's warnings as remarks on their slides. */
export function remarksOf(warnings: readonly FieldError[]): Remark[] {
  return warnings.map(({ field, message }) => ({ slide: Number(/^slides\[(\d+)\]/.exec(field)?.[1] ?? 0), message }));
}

/** Where the lines of an upright text are, canvas units; `undefined` for a turned one, whose lines are not compared. */
function wordsOf(name: string, { object, layout, size, matrix }: Drawable): Words | undefined {
  const lines = (layout?.lines ?? []).filter(({ width }) => width > 0);
  const [a, b, , d, x, y] = matrix;
  if (lines.length === 0 || Math.abs(b) > 1e-6 || object.opacity === 0) return undefined;
  const across = (at: number) => x + a * (at - size.width / 2);
  const down = (at: number) => y + d * (at - size.height / 2);
  return {
    name,
    left: across(Math.min(...lines.map(({ left }) => left))),
    right: across(Math.max(...lines.map(({ left, width }) => left + width))),
    top: down(0),
    bottom: down(layout?.height ?? 0),
  };
}

function meet(a: Words, b: Words): boolean {
  const shared = (from: number, to: number) => to - from > TOLERANCE;
  return (
    shared(Math.max(a.left, b.left), Math.min(a.right, b.right)) &&
    shared(Math.max(a.top, b.top), Math.min(a.bottom, b.bottom))
  );
}
