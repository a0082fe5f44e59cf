import type { Gradient, Paint, Problem, Shadow } from './document.js';

/** Limits of a number; `fallback` stands in for a missing one. */
export interface NumberRule {
  readonly fallback: number;
  readonly min?: number;
  readonly max?: number;
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

/** True for a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads the fields of one JSON object with defaults, and notes what is wrong under the object's path. Missing and
 * `null` mean the default; a value of the wrong kind or out of range is a problem, and the default is used.
 */
export class Fields {
  constructor(
    private readonly source: Readonly<Record<string, unknown>>,
    readonly at: string,
    readonly problems: Problem[],
  ) {}

  /** The raw value. */
  get(key: string): unknown {
    return this.source[key];
  }

  /** Notes an error (or warning) about `key` of this object; without `key` about the object itself. */
  note(key: string, message: string, level: Problem['level'] = 'error'): void {
    this.problems.push({ path: key === '' ? this.at : `${this.at}.${key}`, message, level });
  }

  number(key: string, rule: NumberRule): number {
    const raw = this.source[key];
    if (raw === undefined || raw === null) return rule.fallback;
    const value = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
    const { min = -1e6, max = 1e6 } = rule;
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      this.note(key, `expected a number, got ${describe(raw)}`);
      return rule.fallback;
    }
    if (value < min || value > max) {
      this.note(key, `expected a number from ${min} to ${max}, got ${value}`);
      return rule.fallback;
    }
    return value;
  }

  string(key: string, fallback: string): string {
    const raw = this.source[key];
    if (raw === undefined || raw === null) return fallback;
    if (typeof raw === 'string') return raw;
    if (typeof raw === 'number') return String(raw);
    this.note(key, `expected text, got ${describe(raw)}`);
    return fallback;
  }

  boolean(key: string, fallback: boolean): boolean {
    const raw = this.source[key];
    if (raw === undefined || raw === null) return fallback;
    if (typeof raw === 'boolean') return raw;
    this.note(key, `expected true or false, got ${describe(raw)}`);
    return fallback;
  }

  /** One of `values`, compared without case; anything else is a warning and the fallback. */
  choice<T extends string>(key: string, values: readonly T[], fallback: T): T {
    const raw = this.source[key];
    if (raw === undefined || raw === null || raw === '') return fallback;
    const found = typeof raw === 'string' ? values.find((value) => value === raw.toLowerCase()) : undefined;
    if (found === undefined) this.note(key, `expected one of ${values.join(', ')}, got ${describe(raw)}`, 'warning');
    return found ?? fallback;
  }

  color(key: string): string | null {
    const raw = this.source[key];
    if (raw === undefined || raw === null || raw === '' || raw === false) return null;
    if (typeof raw === 'string' && isColor(raw.trim())) return raw.trim();
    this.note(key, `expected a CSS colour, got ${describe(raw)}`);
    return null;
  }

  /** A colour or gradient; `fallback` when the key is missing, null when it is `null` or empty. */
  paint(key: string, fallback: Paint | null): Paint | null {
    const raw = this.source[key];
    if (raw === undefined) return fallback;
    return isRecord(raw) ? this.gradient(key, raw) : this.color(key);
  }

  shadow(key: string): Shadow | null {
    const raw = this.source[key];
    if (typeof raw === 'string') return this.cssShadow(key, raw);
    if (!isRecord(raw)) return null;
    const fields = new Fields(raw, `${this.at}.${key}`, this.problems);
    return {
      color: fields.color('color') ?? 'rgb(0,0,0)',
      blur: fields.number('blur', { fallback: 0, min: 0, max: 1000 }),
      offsetX: fields.number('offsetX', { fallback: 0, min: -10_000, max: 10_000 }),
      offsetY: fields.number('offsetY', { fallback: 0, min: -10_000, max: 10_000 }),
    };
  }

  /** Fabric's short form, `rgba(0,0,0,0.3) 5px 5px 10px` with the colour at either end. */
  private cssShadow(key: string, raw: string): Shadow | null {
    if (raw.trim() === '') return null;
    const lengths = [...raw.matchAll(/(?:^|\s)(-?\d+(?:\.\d+)?)(?:px)?(?=\s|$)/g)].map((match) => Number(match[1]));
    const color = raw.replace(/(?:^|\s)-?\d+(?:\.\d+)?(?:px)?(?=\s|$)/g, ' ').trim();
    if (!isColor(color) || lengths.length < 2 || (lengths[2] ?? 0) < 0) {
      this.note(key, `expected a shadow such as "rgba(0,0,0,0.3) 2px 2px 4px", got ${describe(raw)}`);
      return null;
    }
    return { color, offsetX: lengths[0]!, offsetY: lengths[1]!, blur: lengths[2] ?? 0 };
  }

  private gradient(key: string, raw: Readonly<Record<string, unknown>>): Gradient | null {
    const fields = new Fields(raw, `${this.at}.${key}`, this.problems);
    const coords = new Fields(isRecord(raw.coords) ? raw.coords : {}, `${fields.at}.coords`, this.problems);
    const stops = readStops(raw.colorStops, fields);
    if (stops === null) return null;
    const length = { fallback: 0, min: -1e5, max: 1e5 };
    return {
      kind: fields.choice('type', ['linear', 'radial'], 'linear'),
      units: fields.choice('gradientUnits', ['pixels', 'percentage'], 'pixels'),
      coords: {
        x1: coords.number('x1', length),
        y1: coords.number('y1', length),
        x2: coords.number('x2', length),
        y2: coords.number('y2', length),
        r1: coords.number('r1', { ...length, min: 0 }),
        r2: coords.number('r2', { ...length, min: 0 }),
      },
      stops,
    };
  }
}

function readStops(raw: unknown, gradient: Fields): Gradient['stops'] | null {
  // Fabric's exports use a list; its constructor also takes {"0": "red", "1": "blue"}.
  const list: unknown[] = Array.isArray(raw)
    ? raw
    : isRecord(raw)
      ? Object.entries(raw).map(([offset, color]) => ({ offset: Number(offset), color }))
      : [];
  const stops: { offset: number; color: string }[] = [];
  for (const [index, stop] of list.entries()) {
    if (!isRecord(stop)) continue;
    const fields = new Fields(stop, `${gradient.at}.colorStops[${index}]`, gradient.problems);
    const color = fields.color('color');
    if (color !== null) stops.push({ offset: fields.number('offset', { fallback: 0, min: 0, max: 1 }), color });
  }
  if (stops.length > 0) return stops.sort((a, b) => a.offset - b.offset);
  gradient.note('colorStops', 'a gradient needs at least one colour stop');
  return null;
}

/** A value as a message quotes it. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : `an ${typeof value}`;
}
