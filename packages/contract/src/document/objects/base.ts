import { ANIMATION } from '../animation.js';
import {
  choice,
  type DocumentPosition,
  type Field,
  type Fields,
  flag,
  isRecord,
  type MemberReader,
  number,
  readEach,
  readValue,
  special,
  text,
} from '../field.js';
import { color, paint, SHADOW_FIELD } from '../paint.js';

/** A side or radius in canvas units; 0 when absent. */
export const length = (description: string) => number({ default: 0, minimum: 0, maximum: 100_000, description });
/** A side or radius in canvas units that reads as null when absent. */
export const maybeLength = (description: string) => number({ minimum: 0, maximum: 100_000, description });
/** A position on the canvas, in canvas units. */
export const place = (description: string) => number({ default: 0, minimum: -100_000, maximum: 100_000, description });
const scale = (description: string) => number({ default: 1, minimum: -1000, maximum: 1000, description });

/** Position of an origin along its axis: 0 left or top, 0.5 centre, 1 right or bottom. */
function origin<const T extends string>(names: readonly [T, T, T]): Field<T | number, number> {
  const [word, share] = [choice(names, names[0]), number({ default: 0, minimum: -10, maximum: 10 })];
  const schema = {
    description: 'Point of the object at its position; a number is a fraction of its side.',
    anyOf: [word, share],
  };
  return special(schema, (raw, at) =>
    typeof raw === 'number' ? readValue(share, raw, at) : names.indexOf(readValue(word, raw, at)) / 2,
  );
}

const DASHES = special<readonly number[] | null, readonly number[]>(
  { type: 'array', items: { type: 'number', minimum: 0 }, description: 'Lengths of dashes and gaps, canvas units.' },
  (raw) =>
    Array.isArray(raw) ? raw.filter((gap): gap is number => typeof gap === 'number' && gap >= 0 && gap < 1e5) : [],
);

/** An object of any type, as stored. */
const NESTED = special<Readonly<Record<string, unknown>> | null, Readonly<Record<string, unknown>> | null>(
  { type: 'object', description: 'Clipping object, positioned relative to the centre of this one.' },
  (raw) => (isRecord(raw) ? raw : null),
);

/** Name of the placeholder without which a slide or an object is left out of a row's video. */
export const SHOW_IF = text({
  maxLength: 200,
  examples: ['jobTitle'],
  description:
    'In a template: shown only in videos of rows with a value for this placeholder, which is not absent, null or blank.',
});

/** Fields of every object, named as Fabric.js names them. Lengths are in canvas units. */
export const BASE = {
  left: place('Place of the origin from the left edge of the canvas, canvas units.'),
  top: place('Place of the origin from the top edge of the canvas, canvas units.'),
  width: length('Canvas units before scaling; 0: the natural size.'),
  height: length('Canvas units before scaling; 0: the natural size.'),
  scaleX: scale('Enlargement; a negative one mirrors.'),
  scaleY: scale('Enlargement; a negative one mirrors.'),
  angle: number({ default: 0, description: 'Degrees, clockwise.' }),
  skewX: number({ default: 0, minimum: -89, maximum: 89, description: 'Degrees.' }),
  skewY: number({ default: 0, minimum: -89, maximum: 89, description: 'Degrees.' }),
  flipX: flag(false, 'Mirrored left to right.'),
  flipY: flag(false, 'Mirrored top to bottom.'),
  originX: origin(['left', 'center', 'right']),
  originY: origin(['top', 'center', 'bottom']),
  opacity: number({ default: 1, minimum: 0, maximum: 1 }),
  visible: flag(true, '`false` leaves the object out.'),
  fill: paint('rgb(0,0,0)', 'A CSS colour or a gradient.'),
  stroke: paint(null, 'A CSS colour or a gradient; null: no outline.'),
  strokeWidth: number({ default: 1, minimum: 0, maximum: 1000, description: 'Canvas units.' }),
  strokeDashArray: DASHES,
  strokeLineCap: choice(['butt', 'round', 'square'], 'butt'),
  strokeLineJoin: choice(['miter', 'bevel', 'round'], 'miter'),
  paintFirst: choice(['fill', 'stroke'], 'fill', 'Which is painted below the other.'),
  shadow: SHADOW_FIELD,
  backgroundColor: color('Colour of the object’s box behind it.'),
  clipPath: NESTED,
  absolutePositioned: flag(false, 'As a clip: placed on the canvas instead of relative to the clipped object.'),
  inverted: flag(false, 'As a clip: shows the area outside of it.'),
  animation: ANIMATION,
  showIf: SHOW_IF,
  locked: flag(false, 'For editors: protects it from being moved by accident. Not drawn.'),
  brandRole: text({ maxLength: 50, description: 'For editors: its role when a brand is applied. Not drawn.' }),
} as const satisfies Fields;

/** Reads the fields of every object, except its clip and its animation. `at` is its path in the document, for messages. */
export function readPlaced(read: MemberReader<typeof BASE>, at: string) {
  const [scaleX, scaleY] = [read('scaleX'), read('scaleY')];
  const stroke = read('stroke');
  return {
    at,
    ...readEach(read, 'left', 'top', 'width', 'height', 'skewX', 'skewY', 'originX', 'originY', 'opacity'),
    ...readEach(read, 'fill', 'shadow', 'absolutePositioned', 'inverted'),
    stroke,
    scaleX: Math.abs(scaleX),
    scaleY: Math.abs(scaleY),
    angle: read('angle') % 360,
    // Some editors mirror an object with a negative scale.
    flipX: read('flipX') !== scaleX < 0,
    flipY: read('flipY') !== scaleY < 0,
    strokeWidth: stroke === null ? 0 : read('strokeWidth'),
    strokeDash: read('strokeDashArray'),
    strokeCap: read('strokeLineCap'),
    strokeJoin: read('strokeLineJoin'),
    /** The stroke is painted below the fill. */
    strokeFirst: read('paintFirst') === 'stroke',
    /** Colour of the object's box behind it. */
    backdrop: read('backgroundColor'),
  };
}

/** Fields of every object after reading, in the units of {@link BASE}. */
export type Placed = Readonly<ReturnType<typeof readPlaced>>;

/** Input of an object type’s reader. */
export interface ReadingContext {
  /** The object as stored. */
  readonly source: Readonly<Record<string, unknown>>;
  readonly place: DocumentPosition;
  /** Every textbox shrinks its font until the text fits its box. */
  readonly fitTextBox: boolean;
}

/** Groups of fields that an editor offers together. */
export type EditGroup = 'text' | 'cutout' | 'clip' | 'picture' | 'fill' | 'entrance' | 'templateId';

/** The canvas of a new object, canvas units. */
export interface CanvasSize {
  readonly width: number;
  readonly height: number;
}

/** Properties of an object type. */
export interface ObjectRow<F extends Fields, Read> {
  /** Display name. */
  readonly label: string;
  /** Other spellings of its type, lower case without separators: Fabric 6 writes class names, earlier versions `i-text`. */
  readonly aliases?: readonly string[];
  /** Fields in addition to {@link BASE}, or instead of it. */
  readonly fields: F;
  /** Groups of fields in an editor, in this order. */
  readonly edits: readonly EditGroup[];
  /** Its field `objects` contains further objects, placed relative to its centre. */
  readonly holdsObjects?: true;
  /** Text of the button that adds it; the label when absent. */
  readonly command?: string;
  /** Properties of a new object in the middle of the canvas; absent for types that need a file. */
  readonly create?: (canvas: CanvasSize) => Readonly<Record<string, unknown>> & CanvasSize;
  /** Properties for drawing in addition to {@link Placed}, which it may override; null, after reporting a problem, when it cannot be drawn. */
  readonly read: (
    read: MemberReader<Omit<typeof BASE, keyof F> & F>,
    base: Placed,
    context: ReadingContext,
  ) => Read | null;
}

/** A row of the table of object types, with inferred types. */
export function objectType<const F extends Fields, const Read extends { readonly type: string }>(
  row: ObjectRow<F, Read>,
): ObjectRow<F, Read> {
  return row;
}
