import {
  type AvatarObject,
  type CanvasObject,
  type ImageObject,
  MAX_MOVING,
  MAX_OBJECTS,
  MAX_TEXT,
  type ObjectAnimation,
  type ObjectBase,
  type TextObject,
  type VideoObject,
} from './document.js';
import { describe, Fields, isRecord } from './fields.js';
import { parseAnimation } from './parse-animation.js';
import { LENGTH, parseEllipse, parseLine, parsePath } from './parse-shapes.js';
import { parseRanges, parseTextStyle } from './parse-text.js';

/** Settings of the render that reach into single objects, and the count of objects seen so far. */
interface Session {
  readonly fitTextBox: boolean;
  count: number;
  moving: number;
}

/** The objects of a canvas, bottom first; unknown and invisible ones are left out. */
export function parseObjects(canvas: Fields, options: { readonly fitTextBox: boolean }): CanvasObject[] {
  return parseList(canvas, { ...options, count: 0, moving: 0 }, 0);
}

function parseList(owner: Fields, session: Session, depth: number): CanvasObject[] {
  const list = owner.get('objects');
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) {
    owner.note('objects', `expected a list of objects, got ${describe(list)}`);
    return [];
  }
  session.count += list.length;
  if (session.count > MAX_OBJECTS) {
    owner.note('objects', `a slide holds at most ${MAX_OBJECTS} objects, this one has ${session.count}`);
    return [];
  }
  const objects: CanvasObject[] = [];
  for (const [index, raw] of list.entries()) {
    const at = `${owner.at}.objects[${index}]`;
    const fields = new Fields(isRecord(raw) ? raw : {}, at, owner.problems);
    if (!isRecord(raw)) fields.note('', `expected an object, got ${describe(raw)}`);
    else if (raw.visible !== false) {
      const object = parseObject(fields, session, depth);
      if (object !== null) objects.push(object);
    }
  }
  return objects;
}

function parseObject(fields: Fields, session: Session, depth: number): CanvasObject | null {
  if (depth > 8) {
    fields.note('', 'groups and clip paths are nested more than eight deep');
    return null;
  }
  // Fabric 6 writes class names (`IText`, `Rect`), earlier versions `i-text`, `rect`.
  const type = fields.string('type', '').toLowerCase().replace(/[-_ ]/g, '');
  const base = parseBase(fields, session, depth);
  switch (type) {
    case 'text':
    case 'itext':
    case 'textbox':
      return parseText(fields, base, type === 'textbox' ? 'textbox' : 'text', session);
    case 'image':
    case 'fabricimage':
    case 'svg':
    case 'gif':
      return parseImage(fields, base);
    case 'rect': {
      const rx = fields.number('rx', LENGTH);
      return { ...base, type: 'rect', rx, ry: fields.number('ry', { ...LENGTH, fallback: rx }) };
    }
    case 'circle':
    case 'ellipse':
      return parseEllipse(fields, base, type);
    case 'triangle':
      return { ...base, type: 'triangle' };
    case 'line':
      return parseLine(fields, base);
    case 'path':
    case 'polygon':
    case 'polyline':
      return parsePath(fields, base, type);
    case 'group':
      return { ...base, type: 'group', objects: parseList(fields, session, depth + 1) };
    case 'avatar':
      return {
        ...base,
        type: 'avatar',
        fill: fields.get('fill') === undefined ? null : base.fill,
        crop: avatarCrop(fields),
      };
    case 'video':
      return parseVideo(fields, base);
    default:
      fields.note('type', `an object of type ${describe(fields.get('type'))} is not drawn`, 'warning');
      return null;
  }
}

function parseBase(fields: Fields, session: Session, depth: number): ObjectBase {
  const place = { fallback: 0, min: -100_000, max: 100_000 };
  const scale = { fallback: 1, min: -1000, max: 1000 };
  const scaleX = fields.number('scaleX', scale);
  const scaleY = fields.number('scaleY', scale);
  const stroke = fields.paint('stroke', null);
  const clip = fields.get('clipPath');
  const dash = fields.get('strokeDashArray');
  return {
    at: fields.at,
    left: fields.number('left', place),
    top: fields.number('top', place),
    width: fields.number('width', LENGTH),
    height: fields.number('height', LENGTH),
    scaleX: Math.abs(scaleX),
    scaleY: Math.abs(scaleY),
    angle: fields.number('angle', { fallback: 0 }) % 360,
    skewX: fields.number('skewX', { fallback: 0, min: -89, max: 89 }),
    skewY: fields.number('skewY', { fallback: 0, min: -89, max: 89 }),
    // A negative scale is how some editors mirror an object.
    flipX: fields.boolean('flipX', false) !== scaleX < 0,
    flipY: fields.boolean('flipY', false) !== scaleY < 0,
    originX: parseOrigin(fields, 'originX'),
    originY: parseOrigin(fields, 'originY'),
    opacity: fields.number('opacity', { fallback: 1, min: 0, max: 1 }),
    fill: fields.paint('fill', 'rgb(0,0,0)'),
    stroke,
    strokeWidth: stroke === null ? 0 : fields.number('strokeWidth', { fallback: 1, min: 0, max: 1000 }),
    strokeDash: Array.isArray(dash)
      ? dash.filter((gap): gap is number => typeof gap === 'number' && gap >= 0 && gap < 1e5)
      : [],
    strokeCap: fields.choice('strokeLineCap', ['butt', 'round', 'square'], 'butt'),
    strokeJoin: fields.choice('strokeLineJoin', ['miter', 'bevel', 'round'], 'miter'),
    strokeFirst: fields.choice('paintFirst', ['fill', 'stroke'], 'fill') === 'stroke',
    shadow: fields.shadow('shadow'),
    backdrop: fields.color('backgroundColor'),
    clip: isRecord(clip)
      ? parseObject(new Fields(clip, `${fields.at}.clipPath`, fields.problems), session, depth + 1)
      : null,
    absolutePositioned: fields.boolean('absolutePositioned', false),
    inverted: fields.boolean('inverted', false),
    // Only a whole object moves, not a part of a group or a clip.
    animation: depth > 0 ? null : limitMoving(parseAnimation(fields), fields, session),
  };
}

function limitMoving(animation: ObjectAnimation | null, fields: Fields, session: Session): ObjectAnimation | null {
  if (animation === null) return null;
  session.moving++;
  if (session.moving <= MAX_MOVING) return animation;
  if (session.moving === MAX_MOVING + 1) {
    fields.note(
      'animation',
      `at most ${MAX_MOVING} objects of a slide move, this one and those after it stand still`,
      'warning',
    );
  }
  return null;
}

function parseOrigin(fields: Fields, key: 'originX' | 'originY'): number {
  const raw = fields.get(key);
  if (typeof raw === 'number') return fields.number(key, { fallback: 0, min: -10, max: 10 });
  const names = key === 'originX' ? (['left', 'center', 'right'] as const) : (['top', 'center', 'bottom'] as const);
  const names3: readonly string[] = names;
  return names3.indexOf(fields.choice(key, names, names[0])) / 2;
}

function parseText(fields: Fields, base: ObjectBase, type: 'text' | 'textbox', session: Session): TextObject {
  let text = fields.string('text', '').replace(/\r\n?/g, '\n');
  if (text.length > MAX_TEXT) {
    fields.note('text', `a text object holds at most ${MAX_TEXT} characters, this one has ${text.length}`);
    text = '';
  }
  const list = fields.choice(
    'list',
    ['none', 'bullet', 'bullets', 'unordered', 'number', 'numbered', 'ordered'],
    'none',
  );
  const align = fields.choice(
    'textAlign',
    ['start', 'end', 'left', 'center', 'right', 'justify', 'justify-left', 'justify-center', 'justify-right'],
    'start',
  );
  const rtl = fields.get('direction') === 'rtl';
  return {
    ...base,
    type,
    text,
    style: parseTextStyle(fields, base),
    ranges: parseRanges(fields, text),
    align:
      align === 'end'
        ? rtl
          ? 'left'
          : 'right'
        : align.startsWith('justify')
          ? 'justify'
          : (align as TextObject['align']),
    direction: rtl ? 'rtl' : 'auto',
    lineHeight: fields.number('lineHeight', { fallback: 1.16, min: 0.1, max: 10 }),
    charSpacing: fields.number('charSpacing', { fallback: 0, min: -1000, max: 10_000 }),
    list: list.startsWith('bullet') || list === 'unordered' ? 'bullet' : list === 'none' ? 'none' : 'number',
    fit: type === 'textbox' && (session.fitTextBox || fields.boolean('fitTextBox', false)),
  };
}

function source(fields: Fields): string {
  const src = fields.string('src', '');
  if (src === '') fields.note('src', 'the address of the media is missing');
  return src;
}

function parseImage(fields: Fields, base: ObjectBase): ImageObject {
  const crop = { x: fields.number('cropX', LENGTH), y: fields.number('cropY', LENGTH) };
  return {
    ...base,
    type: 'image',
    src: source(fields),
    fit: fields.choice('fit', ['contain', 'cover', 'fill'], 'contain'),
    crop: crop.x > 0 || crop.y > 0 ? crop : null,
    radius: radiusOf(fields),
  };
}

function radiusOf(fields: Fields): number {
  const key = ['cornerRadius', 'borderRadius', 'rx'].find((name) => fields.get(name) !== undefined) ?? 'rx';
  return fields.number(key, LENGTH);
}

function avatarCrop(fields: Fields): AvatarObject['crop'] {
  const kind = ['crop', 'avatarType', 'shape'].map((key) => fields.get(key)).find((value) => typeof value === 'string');
  const clip = fields.get('clipPath');
  if (kind === 'circle' || (isRecord(clip) && String(clip.type).toLowerCase() === 'circle')) return 'circle';
  return kind === 'bust' || kind === 'close_up' || kind === 'closeup' ? 'bust' : 'full';
}

function parseVideo(fields: Fields, base: ObjectBase): VideoObject {
  const seconds = { fallback: 0, min: 0, max: 86_400 };
  const end = fields.number('endTime', { ...seconds, fallback: fields.number('trimEnd', seconds) });
  const start = fields.number('startTime', { ...seconds, fallback: fields.number('trimStart', seconds) });
  if (end > 0 && end <= start) fields.note('endTime', `expected a time after ${start} s, got ${end}`);
  return {
    ...base,
    type: 'video',
    src: source(fields),
    radius: radiusOf(fields),
    startSeconds: start,
    endSeconds: end > start ? end : null,
    loop: fields.boolean('loop', true),
    // Silent unless asked for: most clips are decoration and would talk over the presenter.
    volume: fields.boolean('muted', false)
      ? 0
      : fields.number('volume', { fallback: fields.get('muted') === false ? 1 : 0, min: 0, max: 1 }),
  };
}
