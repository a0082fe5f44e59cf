import { FORMATS, namesOf, parseDocument, type TextObject } from '@figurehead/contract/document';
import { SLIDE_LAYOUTS, slideFrom, slidesFrom, VIDEO_TEMPLATES } from '@figurehead/contract/layouts';
import { TextSetter } from '@figurehead/presenter/painting';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadCanvas } from './objects/canvas.js';
import { openFonts } from './text/fonts.js';

interface Box {
  readonly name: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Space between a text and the edge of the canvas, canvas units. */
const MARGIN = 12;
/** Empty share of a presenter's box at its left and right, and at its top. */
const BESIDE_PERSON = 0.14;
const ABOVE_PERSON = 0.12;

const cast = { avatar: { code: 'ava' }, voice: 'slt', voiceProvider: 'flite', language: 'English' };
let setter: TextSetter;

beforeAll(async () => {
  setter = new TextSetter(await loadCanvas(), await openFonts(), null);
});

describe('layouts and templates as rendered', () => {
  const formats = namesOf(FORMATS);

  it.each(formats)(
    'keep their texts apart, on the canvas, in their panels and off the presenter: layouts in %s',
    (format) => {
      const found = namesOf(SLIDE_LAYOUTS).flatMap((name) =>
        faultsOf(slideFrom(name, { id: 1, cast, size: FORMATS[format] }), format).map((fault) => `${name}: ${fault}`),
      );
      expect(found).toEqual([]);
    },
  );

  it.each(formats)(
    'keep their texts apart, on the canvas, in their panels and off the presenter: templates in %s',
    (format) => {
      const found = namesOf(VIDEO_TEMPLATES).flatMap((name) =>
        slidesFrom(name, { cast, size: FORMATS[format] }).flatMap((slide, index) =>
          faultsOf(slide, format).map((fault) => `${name} ${index + 1}: ${fault}`),
        ),
      );
      expect(found).toEqual([]);
    },
  );
});

describe('words that are longer than those of a layout', () => {
  it.each(namesOf(FORMATS))('fill the room below, and shrink before they meet anything, in %s', (format) => {
    const found = namesOf(SLIDE_LAYOUTS).flatMap((name) => {
      const slide = slideFrom(name, { id: 1, cast, size: FORMATS[format] });
      const objects = slide.canvas?.objects ?? [];
      const long = objects.map((object) =>
        object.type === 'textbox' && (object.text?.length ?? 0) > 9
          ? { ...object, text: `${object.text} and much more than its author had in mind` }
          : object,
      );
      return [
        ...shrunk(slide, format).map((id) => `${name}: “${id}” is smaller than it should be`),
        ...faultsOf({ ...slide, canvas: { ...slide.canvas, objects: long } }, format).map(
          (fault) => `${name}: ${fault}`,
        ),
      ];
    });
    expect(found).toEqual([]);
  });
});

/** Texts of a slide that are not as large as their font size says. */
function shrunk(slide: ReturnType<typeof slideFrom>, format: keyof typeof FORMATS): string[] {
  const objects = parseDocument({ slides: [slide], data: { format } }).document.slides[0]?.objects ?? [];
  return objects.flatMap((object, index) => {
    if (object.type !== 'textbox') return [];
    const size = setter.layout(object).lines[0]?.runs[0]?.style.fontSize ?? object.style.fontSize;
    return size < object.style.fontSize ? [`${slide.canvas?.objects?.[index]?.id}`] : [];
  });
}

/** Problems of a slide, as sentences. */
function faultsOf(slide: ReturnType<typeof slideFrom>, format: keyof typeof FORMATS): string[] {
  const { width, height } = FORMATS[format];
  const objects = parseDocument({ slides: [slide], data: { format } }).document.slides[0]?.objects ?? [];
  const boxes = objects.map((object, index) => {
    const name = `${slide.canvas?.objects?.[index]?.id ?? object.type}`;
    return { object, box: object.type === 'textbox' ? wordsBox(name, object) : boxOf(name, object) };
  });
  const texts = boxes.filter(({ object }) => object.type === 'textbox');
  const faults: string[] = [];
  for (const { box } of boxes) {
    const space = texts.some((text) => text.box === box) ? MARGIN : -0.5;
    if (box.left < space || box.top < space || box.right > width - space || box.bottom > height - space) {
      faults.push(`“${box.name}” leaves the canvas: ${shown(box)}`);
    }
  }
  for (const [index, { object, box }] of boxes.entries()) {
    const below = boxes.slice(0, index);
    if (object.type === 'textbox') {
      const panel = below.findLast(
        (one) => ['rect', 'circle', 'ellipse'].includes(one.object.type) && meet(one.box, box),
      );
      if (panel && !holds(panel.box, box)) {
        faults.push(`“${box.name}” leaves its panel: ${shown(box)}, ${shown(panel.box)}`);
      }
      for (const one of below.filter((other) => other.object.type === 'textbox' && meet(other.box, box))) {
        faults.push(`“${one.box.name}” and “${box.name}” overlap: ${shown(one.box)}, ${shown(box)}`);
      }
    }
    if (object.type !== 'avatar') continue;
    const person = object.crop === 'circle' ? box : personIn(box);
    for (const [place, other] of boxes.entries()) {
      const isWhole = other.box.right - other.box.left >= width || other.box.bottom - other.box.top >= height;
      const covered = boxes.slice(index + 1, place).some((cover) => holds(cover.box, other.box));
      const counts =
        other.object.type === 'textbox' || (object.crop === 'circle' && other !== boxes[index] && !isWhole);
      if (counts && !covered && meet(person, other.box)) {
        faults.push(`“${other.box.name}” is on the presenter: ${shown(other.box)}, ${shown(person)}`);
      }
    }
  }
  return faults;
}

/** The lines of a text as laid out by the engine. */
function wordsBox(name: string, object: TextObject): Box {
  const { lines } = setter.layout(object);
  const box = boxOf(name, object);
  return {
    name,
    left: box.left + Math.min(...lines.map(({ left }) => left)),
    right: box.left + Math.max(...lines.map(({ left, width }) => left + width)),
    top: box.top + Math.min(...lines.map(({ top }) => top)),
    bottom: box.top + Math.max(...lines.map(({ top, height }) => top + height)),
  };
}

function boxOf(name: string, object: { left: number; top: number; width: number; height: number }): Box {
  const { left, top, width, height } = object;
  return { name, left, top, right: left + width, bottom: top + height };
}

/** The part of a presenter's box that the person covers. */
function personIn(box: Box): Box {
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const beside = BESIDE_PERSON * width;
  return { ...box, left: box.left + beside, right: box.right - beside, top: box.top + ABOVE_PERSON * height };
}

function meet(a: Box, b: Box): boolean {
  return a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
}

function holds(outer: Box, inner: Box): boolean {
  return (
    inner.left >= outer.left - 0.5 &&
    inner.right <= outer.right + 0.5 &&
    inner.top >= outer.top - 0.5 &&
    inner.bottom <= outer.bottom + 0.5
  );
}

function shown({ left, top, right, bottom }: Box): string {
  return [left, top, right, bottom].map(Math.round).join(' ');
}
