import type { CanvasObject, FieldError, Slide } from '@figurehead/contract';

/** One row of `templateData`: values by placeholder name, or by id of a canvas media object. */
export type TemplateRow = Readonly<Record<string, unknown>>;

/** A template with the values of one row put in, and what is wrong with the row. */
export interface FilledTemplate {
  readonly name: string;
  readonly slides: Slide[];
  readonly problems: readonly FieldError[];
}

/** Canvas objects whose `src` a row may replace. */
const MEDIA_TYPES = new Set(['image', 'video']);

const PLACEHOLDER = /\{\{([^{}]+)\}\}/g;

/** Puts a row's values into the placeholders of name, speech and canvas text, and into media objects with the id of a key. */
export function fillTemplate(template: { name: string; slides: readonly Slide[] }, row: TemplateRow): FilledTemplate {
  const problems: FieldError[] = [];
  const fill = (text: string, field: string): string =>
    text.replace(PLACEHOLDER, (whole, inner: string) => {
      const name = inner.trim();
      const value = Object.hasOwn(row, name) ? textOf(row[name]) : undefined;
      if (value !== undefined) return value;
      const reason = Object.hasOwn(row, name) ? 'must be text, a number or true or false' : 'is missing in the row';
      problems.push({ field, message: `the value of {{${name}}} ${reason}` });
      return whole;
    });
  const slides = template.slides.map((slide, index) =>
    fillSlide(slide, { row, fill, problems, at: `slides[${index}]` }),
  );
  return { name: fill(template.name, 'name').slice(0, 500), slides, problems };
}

interface Filling {
  readonly row: TemplateRow;
  readonly fill: (text: string, field: string) => string;
  readonly problems: FieldError[];
  readonly at: string;
}

function fillSlide(slide: Slide, filling: Filling): Slide {
  const { fill, at } = filling;
  const { audio: _audio, ...rest } = slide;
  const objects = slide.canvas?.objects?.map((object, index) =>
    fillObject(object, { ...filling, at: `${at}.canvas.objects[${index}]` }),
  );
  return {
    ...rest,
    ...(slide.speech == null ? {} : { speech: fill(slide.speech, `${at}.speech`) }),
    ...(slide.canvas == null || objects === undefined ? {} : { canvas: { ...slide.canvas, objects } }),
  };
}

function fillObject(object: CanvasObject, filling: Filling): CanvasObject {
  const { row, fill, problems, at } = filling;
  // A Fabric group: its children are objects like any other.
  const { objects: children } = object;
  if (Array.isArray(children)) {
    const filled = (children as CanvasObject[]).map((child, index) =>
      fillObject(child, { ...filling, at: `${at}.objects[${index}]` }),
    );
    return { ...object, objects: filled };
  }
  if (typeof object.text === 'string') return { ...object, text: fill(object.text, `${at}.text`) };
  const id = object.id == null ? undefined : String(object.id);
  if (id === undefined || !MEDIA_TYPES.has(object.type.toLowerCase()) || !Object.hasOwn(row, id)) return object;
  const value = row[id];
  if (typeof value === 'string' && (URL.canParse(value) || value.startsWith('data:'))) return { ...object, src: value };
  problems.push({ field: `${at}.src`, message: `the value of "${id}" must be the URL of a picture or video` });
  return object;
}

function textOf(value: unknown): string | undefined {
  if (value === null) return '';
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
