import type { FieldError } from '../schemas/common.js';
import type { Slide } from './document.js';
import type { CanvasObject } from './objects/index.js';
import { escapeSsml, isSsml } from './ssml.js';

/** One row of `templateData`: values by placeholder name, or by id of a canvas media object. */
export type TemplateRow = Readonly<Record<string, unknown>>;

/** A template with the values of one row inserted, and the problems of the row. */
export interface FilledTemplate {
  readonly name: string;
  readonly slides: Slide[];
  readonly problems: readonly FieldError[];
}

/** Canvas objects whose `src` a row may replace. */
const MEDIA_TYPES = new Set(['image', 'video']);

/** An absolute URL, including `data:`. Its content is only checked by rendering. */
const ADDRESS = /^[a-z][a-z0-9+.-]*:\S/i;

const PLACEHOLDER = /\{\{([^{}]+)\}\}/g;

/** Maximum length of a video's name, characters. */
const LONGEST_NAME = 500;

/** The key whose value is added to the name of a row's video, unless the call specifies another. */
const USUAL_NAME_KEY = 'name';

/**
 * Placeholders that a row can fill in, in order of appearance: names in `showIf`, `{{names}}` of speech and canvas text, and ids of pictures and
 * videos. `optional` are those of `showIf`.
 */
export function placeholdersOf(slides: readonly Slide[]): { names: string[]; optional: ReadonlySet<string> } {
  const found = new Set<string>();
  const optional = new Set<string>();
  const readCondition = (part: Conditional) => {
    const name = conditionOf(part);
    if (name === undefined) return;
    found.add(name);
    optional.add(name);
  };
  const read = (text: unknown) => {
    if (typeof text !== 'string') return;
    for (const match of text.matchAll(PLACEHOLDER)) found.add(match[1]?.trim() ?? '');
  };
  const readObject = (object: CanvasObject): void => {
    readCondition(object);
    read(object.text);
    if (Array.isArray(object.objects)) (object.objects as CanvasObject[]).forEach(readObject);
    else if (isReplaceable(object)) found.add(String(object.id));
  };
  for (const slide of slides) {
    readCondition(slide);
    read(slide.speech);
    slide.canvas?.objects?.forEach(readObject);
  }
  return { names: [...found].filter((name) => name !== ''), optional };
}

/**
 * Inserts a row's values into the placeholders of name, speech and canvas text, and into media objects with the id of a
 * key, and leaves out slides and objects whose `showIf` has no value in the row. The row's value of `nameKey` is
 * appended to a name without placeholders: `Greeting – Anna`.
 */
export function fillTemplate(
  template: { readonly name: string; readonly slides: readonly Slide[] },
  row: TemplateRow,
  nameKey: string = USUAL_NAME_KEY,
): FilledTemplate {
  const problems: FieldError[] = [];
  const fill = (text: string, field: string): string =>
    text.replace(PLACEHOLDER, (whole, inner: string) => {
      const name = inner.trim();
      const value = Object.hasOwn(row, name) ? textOf(row[name]) : undefined;
      // Between tags, a row's `&` and `<` are text.
      if (value !== undefined) return isSsml(text) ? escapeSsml(value) : value;
      const reason = Object.hasOwn(row, name) ? 'must be text, a number or true or false' : 'is missing in the row';
      problems.push({ field, message: `the value of {{${name}}} ${reason}` });
      return whole;
    });
  const slides = template.slides.flatMap((slide, index) =>
    isShown(slide, row) ? [fillSlide(slide, { row, fill, problems, at: `slides[${index}]` })] : [],
  );
  if (slides.length === 0 && template.slides.length > 0) {
    problems.push({ field: 'slides', message: 'the row has no value for the `showIf` of any slide: nothing is left' });
  }
  const suffix =
    template.name.search(PLACEHOLDER) < 0 && Object.hasOwn(row, nameKey) ? textOf(row[nameKey])?.trim() : '';
  const name = fill(template.name, 'name');
  return { name: (suffix ? `${name} – ${suffix}` : name).slice(0, LONGEST_NAME), slides, problems };
}

function isReplaceable(object: CanvasObject): boolean {
  return object.id != null && MEDIA_TYPES.has(object.type.toLowerCase());
}

type Conditional = { readonly showIf?: unknown };

function conditionOf({ showIf }: Conditional): string | undefined {
  return textOf(showIf)?.replace(PLACEHOLDER, '$1').trim() || undefined;
}

function isShown(part: Conditional, row: TemplateRow): boolean {
  const name = conditionOf(part);
  return name === undefined || (Object.hasOwn(row, name) && textOf(row[name])?.trim() !== '');
}

interface Filling {
  readonly row: TemplateRow;
  readonly fill: (text: string, field: string) => string;
  readonly problems: FieldError[];
  readonly at: string;
}

function fillSlide(slide: Slide, filling: Filling): Slide {
  const { fill, at } = filling;
  const { audio: _audio, showIf: _shown, ...rest } = slide;
  const { objects: given } = slide.canvas ?? {};
  const objects = given && fillObjects(given, { ...filling, at: `${at}.canvas` });
  return {
    ...rest,
    ...(slide.speech == null ? {} : { speech: fill(slide.speech, `${at}.speech`) }),
    ...(slide.canvas == null || objects === undefined ? {} : { canvas: { ...slide.canvas, objects } }),
  };
}

function fillObjects(objects: readonly CanvasObject[], filling: Filling): CanvasObject[] {
  return objects.flatMap((object, index) => {
    if (!isShown(object, filling.row)) return [];
    const { showIf: _shown, ...rest } = object;
    return [fillObject(rest as CanvasObject, { ...filling, at: `${filling.at}.objects[${index}]` })];
  });
}

function fillObject(object: CanvasObject, filling: Filling): CanvasObject {
  const { row, fill, problems, at } = filling;
  // A Fabric group: its children are objects like any other.
  const { objects: children } = object;
  if (Array.isArray(children)) return { ...object, objects: fillObjects(children as CanvasObject[], filling) };
  if (typeof object.text === 'string') return { ...object, text: fill(object.text, `${at}.text`) };
  const id = String(object.id);
  if (!isReplaceable(object) || !Object.hasOwn(row, id)) return object;
  const value = row[id];
  if (typeof value === 'string' && ADDRESS.test(value)) return { ...object, src: value };
  problems.push({ field: `${at}.src`, message: `the value of "${id}" must be the URL of a picture or video` });
  return object;
}

function textOf(value: unknown): string | undefined {
  if (value === null) return '';
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
