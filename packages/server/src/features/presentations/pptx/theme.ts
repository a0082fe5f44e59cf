import { at, attribute, child, elements, numberOf, type XmlElement } from '../reading/xml.js';

/** Colours and fonts behind a slide's theme names. */
export interface Theme {
  /** `#rrggbb` of a colour element's parent (`a:solidFill`, `p:bgRef`); `undefined` without a colour. */
  color(owner: XmlElement | undefined): string | undefined;
  /** A typeface, with theme names (`+mj-lt`) resolved. */
  font(typeface: string | undefined): string | undefined;
}

/** Preset colours that decks use in practice (ECMA-376 part 1, 20.1.10.48 lists all). */
const PRESETS: Readonly<Record<string, string>> = {
  black: '000000',
  white: 'ffffff',
  red: 'ff0000',
  green: '008000',
  blue: '0000ff',
  yellow: 'ffff00',
  gray: '808080',
  orange: 'ffa500',
};

/** @param map the master's `p:clrMap`, or a slide's own override. */
export function readTheme(theme: XmlElement | undefined, map: XmlElement | undefined): Theme {
  const scheme = new Map<string, string>();
  for (const entry of elements(at(theme, 'themeElements', 'clrScheme'))) {
    const value = attribute(child(entry, 'srgbClr'), 'val') ?? attribute(child(entry, 'sysClr'), 'lastClr');
    if (value !== undefined) scheme.set(entry.name, value);
  }
  const fonts = at(theme, 'themeElements', 'fontScheme');
  const named = (name: string): string | undefined =>
    scheme.get(attribute(map, name) ?? { bg1: 'lt1', tx1: 'dk1', bg2: 'lt2', tx2: 'dk2' }[name] ?? name);
  return {
    color(owner) {
      for (const element of elements(owner)) {
        const value = attribute(element, 'val');
        const base =
          element.name === 'srgbClr'
            ? value
            : element.name === 'schemeClr'
              ? named(value ?? '')
              : element.name === 'sysClr'
                ? attribute(element, 'lastClr')
                : element.name === 'prstClr'
                  ? PRESETS[value ?? '']
                  : undefined;
        if (base !== undefined && /^[0-9a-f]{6}$/i.test(base)) return `#${modify(base, element).toLowerCase()}`;
      }
      return undefined;
    },
    font(typeface) {
      const match = /^\+(mj|mn)-(lt|ea|cs)$/.exec(typeface ?? '');
      if (match === null) return typeface || undefined;
      const family = child(fonts, match[1] === 'mj' ? 'majorFont' : 'minorFont');
      const kind = { lt: 'latin', ea: 'ea', cs: 'cs' }[match[2] ?? 'lt'] ?? 'latin';
      return attribute(child(family, kind), 'typeface') || attribute(child(family, 'latin'), 'typeface') || undefined;
    },
  };
}

/** Applies `lumMod`, `lumOff`, `tint` and `shade` (20.1.2.3) per channel, which is a sufficient approximation. */
function modify(hex: string, element: XmlElement): string {
  const share = (name: string): number | undefined => {
    const value = numberOf(child(element, name), 'val');
    return value === undefined ? undefined : value / 100_000;
  };
  const [mod = 1, off = 0, tint, shade = 1] = [share('lumMod'), share('lumOff'), share('tint'), share('shade')];
  return [0, 2, 4]
    .map((start) => {
      const channel = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
      const lit = channel * mod * shade + off;
      const mixed = tint === undefined ? lit : 1 - (1 - lit) * tint;
      return Math.round(Math.min(1, Math.max(0, mixed)) * 255)
        .toString(16)
        .padStart(2, '0');
    })
    .join('');
}
