import {
  choice,
  type DocumentPosition,
  type Field,
  isRecord,
  number,
  quote,
  readEach,
  reading,
  special,
} from './field.js';

/** A colour ramp; `coords` in canvas units from the object's top left corner, or as fractions of its box. */
export interface Gradient {
  readonly kind: 'linear' | 'radial';
  readonly units: 'pixels' | 'percentage';
  readonly coords: Readonly<{ x1: number; y1: number; x2: number; y2: number; r1: number; r2: number }>;
  readonly stops: readonly { readonly offset: number; readonly color: string }[];
}

/** A CSS colour or a gradient. */
export type Paint = string | Gradient;

/** A drop shadow; offsets and blur in canvas units before the object's scale. */
export interface Shadow {
  readonly color: string;
  readonly blur: number;
  readonly offsetX: number;
  readonly offsetY: number;
}

/** CSS colour names (CSS Color 4), which the drawing library would silently ignore when misspelled. */
const COLOR_NAMES = new Set(
  (
    'aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood ' +
    'cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray ' +
    'darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen ' +
    'darkslateblue darkslategray darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue ' +
    'firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew ' +
    'hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan ' +
    'lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue lightslategray ' +
    'lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid ' +
    'mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue mintcream ' +
    'mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered orchid palegoldenrod palegreen ' +
    'paleturquoise palevioletred papayawhip peachpuff peru pink plum powderblue purple rebeccapurple red rosybrown ' +
    'royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue slateblue slategray slategrey snow ' +
    'springgreen steelblue tan teal thistle tomato transparent turquoise violet wheat white whitesmoke yellow yellowgreen'
  ).split(' '),
);
const HEX_COLOR = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;
const FUNCTION_COLOR = /^(?:rgb|hsl)a?\([-+\d.%,\s/a-z]{1,80}\)$/i;

/** True when `value` is a CSS colour that the engine draws. */
export function isColor(value: string): boolean {
  return HEX_COLOR.test(value) || FUNCTION_COLOR.test(value) || COLOR_NAMES.has(value.toLowerCase());
}

/** A CSS colour; reads as null when there is none. */
export function color(description: string): Field<string | null, string | null> {
  return special({ type: 'string', description, examples: ['#22211e', 'rgba(0,0,0,0.3)'] }, readColor);
}

function readColor(raw: unknown, place: DocumentPosition): string | null {
  if (raw === undefined || raw === null || raw === '' || raw === false) return null;
  if (typeof raw === 'string' && isColor(raw.trim())) return raw.trim();
  place.note(`expected a CSS colour, got ${quote(raw)}`);
  return null;
}

const coordinate = (minimum: number) => number({ default: 0, minimum, maximum: 1e5 });
const COORDS = {
  x1: coordinate(-1e5),
  y1: coordinate(-1e5),
  x2: coordinate(-1e5),
  y2: coordinate(-1e5),
  r1: coordinate(0),
  r2: coordinate(0),
};
const STOP = {
  offset: number({ default: 0, minimum: 0, maximum: 1 }),
  color: color('Colour at this offset.'),
};
const GRADIENT = {
  type: choice(['linear', 'radial'], 'linear'),
  gradientUnits: choice(['pixels', 'percentage'], 'pixels', 'Canvas units, or fractions of the object’s box.'),
};
const GRADIENT_SCHEMA = {
  type: 'object',
  properties: {
    ...GRADIENT,
    coords: { type: 'object', properties: COORDS },
    colorStops: { type: 'array', minItems: 1, items: { type: 'object', properties: STOP } },
  },
};

/** A colour or a gradient; `fallback` when it is missing, null when it is `null` or empty. */
export function paint(
  fallback: Paint | null,
  description: string,
): Field<string | Readonly<Record<string, unknown>> | null, Paint | null> {
  const schema = {
    description,
    default: fallback,
    anyOf: [{ type: 'string', examples: ['#2a8472'] }, GRADIENT_SCHEMA],
  };
  return special(schema, (raw, place) => (raw === undefined ? fallback : readPaint(raw, place)));
}

/** A colour or a gradient; null when there is none. */
export function readPaint(raw: unknown, place: DocumentPosition): Paint | null {
  if (!isRecord(raw)) return readColor(raw, place);
  const coords = reading(COORDS, isRecord(raw['coords']) ? raw['coords'] : {}, place.at('coords'));
  const stops = readStops(raw['colorStops'], place);
  if (stops === null) return null;
  const read = reading(GRADIENT, raw, place);
  return {
    kind: read('type'),
    units: read('gradientUnits'),
    coords: readEach(coords, 'x1', 'y1', 'x2', 'y2', 'r1', 'r2'),
    stops,
  };
}

function readStops(raw: unknown, place: DocumentPosition): Gradient['stops'] | null {
  // Fabric's exports use a list; its constructor also takes {"0": "red", "1": "blue"}.
  const list: unknown[] = Array.isArray(raw)
    ? raw
    : isRecord(raw)
      ? Object.entries(raw).map(([offset, value]) => ({ offset: Number(offset), color: value }))
      : [];
  const stops = list.filter(isRecord).flatMap((stop, index) => {
    const read = reading(STOP, stop, place.item('colorStops', index));
    const value = read('color');
    return value === null ? [] : [{ offset: read('offset'), color: value }];
  });
  if (stops.length > 0) return stops.sort((a, b) => a.offset - b.offset);
  place.at('colorStops').note('a gradient needs at least one colour stop');
  return null;
}

const SHADOW = {
  color: color('Colour of the shadow; black when absent.'),
  blur: number({ default: 0, minimum: 0, maximum: 1000, description: 'Canvas units.' }),
  offsetX: number({ default: 0, minimum: -10_000, maximum: 10_000, description: 'Canvas units.' }),
  offsetY: number({ default: 0, minimum: -10_000, maximum: 10_000, description: 'Canvas units.' }),
};

/** A drop shadow, as an object or in Fabric's short form `rgba(0,0,0,0.3) 5px 5px 10px` with the colour at either end. */
export const SHADOW_FIELD = special<string | Readonly<Record<string, unknown>> | null, Shadow | null>(
  {
    description: 'Drop shadow.',
    anyOf: [
      { type: 'string', examples: ['rgba(0,0,0,0.3) 2px 2px 4px'] },
      { type: 'object', properties: SHADOW },
    ],
  },
  (raw, place) => {
    if (typeof raw === 'string') return readCssShadow(raw, place);
    if (!isRecord(raw)) return null;
    const read = reading(SHADOW, raw, place);
    return { color: read('color') ?? 'rgb(0,0,0)', ...readEach(read, 'blur', 'offsetX', 'offsetY') };
  },
);

function readCssShadow(raw: string, place: DocumentPosition): Shadow | null {
  if (raw.trim() === '') return null;
  const lengths = [...raw.matchAll(/(?:^|\s)(-?\d+(?:\.\d+)?)(?:px)?(?=\s|$)/g)].map((match) => Number(match[1]));
  const value = raw.replace(/(?:^|\s)-?\d+(?:\.\d+)?(?:px)?(?=\s|$)/g, ' ').trim();
  if (!isColor(value) || lengths.length < 2 || (lengths[2] ?? 0) < 0) {
    place.note(`expected a shadow such as "rgba(0,0,0,0.3) 2px 2px 4px", got ${quote(raw)}`);
    return null;
  }
  return { color: value, offsetX: lengths[0]!, offsetY: lengths[1]!, blur: lengths[2] ?? 0 };
}
