import type { Slide } from '../document/document.js';
import type { CanvasSize } from '../document/objects/base.js';
import type { CanvasObject } from '../document/objects/index.js';
import { FORMATS } from '../document/output.js';
import type { Brand } from '../schemas/brand.js';

/** Colours and fonts of a workspace's videos. Colours are `#rrggbb`. */
export interface Look {
  readonly background: string;
  readonly text: string;
  readonly accent: string;
  readonly headingFont: string;
  readonly bodyFont: string;
  /** URL of a picture that every slide shows at its upper right. */
  readonly logo?: string | null;
}

/** The look of a workspace without a brand. */
export const DEFAULT_LOOK: Look = {
  background: '#fbfaf6',
  text: '#22211e',
  accent: '#14574b',
  headingFont: 'Montserrat',
  bodyFont: 'Inter',
};

/** The look of a brand; missing values are the `usual` ones. */
export function lookOf({ colors, headingFont, bodyFont, logo }: Brand, usual: Look = DEFAULT_LOOK): Look {
  return {
    ...usual,
    ...colors,
    ...(headingFont && { headingFont }),
    ...(bodyFont && { bodyFont }),
    logo,
  };
}

/** Roles of objects in a layout (`brandRole`): the font and the colour from the brand. */
const ROLES = {
  heading: { font: 'headingFont', paint: 'text' },
  accentHeading: { font: 'headingFont', paint: 'accentText' },
  text: { font: 'bodyFont', paint: 'text' },
  muted: { font: 'bodyFont', paint: 'muted' },
  onAccentHeading: { font: 'headingFont', paint: 'onAccent' },
  onAccent: { font: 'bodyFont', paint: 'onAccent' },
  background: { font: null, paint: 'background' },
  accent: { font: null, paint: 'accent' },
  accentSoft: { font: null, paint: 'accentSoft' },
  ink: { font: null, paint: 'text' },
  surface: { font: null, paint: 'surface' },
  line: { font: null, paint: 'line' },
} as const;
/** A key of the table of roles. */
export type BrandRole = keyof typeof ROLES;

/** Role of the picture that is a brand's logo. */
const LOGO = 'logo';
/** Minimum font size of a heading for text without a role, canvas units. */
const HEADING_SIZE = 26;
/** Minimum contrast of large text (WCAG). */
const LARGE_TEXT_CONTRAST = 3;

/** All colours of roles. */
function paintsOf({ background, text, accent }: Look) {
  return {
    background,
    text,
    accent,
    accentText: contrast(accent, background) >= LARGE_TEXT_CONTRAST ? accent : text,
    onAccent: contrast('#ffffff', accent) >= contrast('#1b1b1b', accent) ? '#ffffff' : '#1b1b1b',
    accentSoft: mix(background, accent, 0.16),
    surface: mix(background, text, 0.07),
    muted: mix(text, background, 0.3),
    line: mix(background, text, 0.22),
  };
}

/** Applies a look to a slide: colours and fonts of text, shapes and a plain background, and the logo. Pictures and gradients are unchanged. */
export function dressSlide(slide: Slide, look: Look, size: CanvasSize = FORMATS['16_9']): Slide {
  const paints = paintsOf(look);
  const { canvas } = slide;
  const backdrop = roleNamed(canvas?.['brandRole']) ?? 'background';
  const isPlain = canvas?.background == null || canvas.background.startsWith('#');
  return {
    ...slide,
    canvas: {
      ...canvas,
      ...(isPlain && { background: paints[ROLES[backdrop].paint] }),
      objects: [
        ...(canvas?.objects ?? []).filter(({ brandRole }) => brandRole !== LOGO).map((one) => dressObject(one, look)),
        ...(look.logo ? [logoObject(look.logo, size)] : []),
      ],
    },
  };
}

/** The look that slides from layouts have: of each colour and font the most frequent one; the `usual` ones where there is none. */
export function lookIn(slides: readonly Slide[], usual: Look = DEFAULT_LOOK): Look {
  const votes = slides.flatMap(({ canvas }) => [
    { role: canvas?.['brandRole'], paint: canvas?.background, font: undefined },
    ...(canvas?.objects ?? []).map(({ brandRole, fill, stroke, fontFamily }) => ({
      role: brandRole,
      paint: typeof fill === 'string' ? fill : stroke,
      font: fontFamily,
    })),
  ]);
  const seen = votes.flatMap(({ role, paint, font }): (readonly [keyof Look, unknown])[] => {
    const named = roleNamed(role);
    if (named === undefined) return [];
    const { font: family, paint: colour } = ROLES[named];
    return [...(family ? [[family, font] as const] : []), ...(isColour(colour) ? [[colour, paint] as const] : [])];
  });
  const most = (key: keyof Look) => {
    const values = seen.flatMap(([name, value]) => (name === key && typeof value === 'string' ? [value] : []));
    const times = (value: string) => values.filter((one) => one === value).length;
    return values.reduce<string | undefined>((a, b) => (a !== undefined && times(a) >= times(b) ? a : b), undefined);
  };
  const keys = ['background', 'text', 'accent', 'headingFont', 'bodyFont'] as const;
  return { ...usual, ...Object.fromEntries(keys.flatMap((key) => (most(key) ? [[key, most(key)]] : []))) };
}

/** Whether a role's colour is one of a look, and not mixed of them. */
function isColour(paint: (typeof ROLES)[BrandRole]['paint']): paint is 'background' | 'text' | 'accent' {
  return paint === 'background' || paint === 'text' || paint === 'accent';
}

function logoObject(src: string, size: CanvasSize): CanvasObject {
  const [width, height] = [84, 30];
  const place = { left: size.width - width - 20, top: 16, originX: 'left', originY: 'top' } as const;
  return { type: 'image', src, ...place, width, height, fit: 'contain', brandRole: LOGO };
}

/** Applies a look to an object; without a `brandRole`, its role depends on type and size. */
export function dressObject(object: CanvasObject, look: Look): CanvasObject {
  const objects = Array.isArray(object.objects)
    ? { objects: (object.objects as CanvasObject[]).map((part) => dressObject(part, look)) }
    : {};
  const role = roleNamed(object.brandRole) ?? usualRole(object);
  if (role === undefined) return { ...object, ...objects };
  const { font, paint } = ROLES[role];
  const color = paintsOf(look)[paint];
  const isOutline = typeof object.stroke === 'string' && typeof object.fill !== 'string';
  return {
    ...object,
    ...objects,
    ...(isOutline ? { stroke: color } : { fill: color }),
    ...(font && { fontFamily: look[font] }),
  };
}

function usualRole(object: CanvasObject): BrandRole | undefined {
  if (typeof object.text === 'string') return (object.fontSize ?? 40) >= HEADING_SIZE ? 'heading' : 'text';
  const isShape = ['rect', 'circle', 'ellipse', 'triangle', 'path', 'polygon', 'polyline'].includes(object.type);
  return isShape && (typeof object.fill === 'string' || typeof object.stroke === 'string') ? 'accent' : undefined;
}

function roleNamed(name: unknown): BrandRole | undefined {
  return typeof name === 'string' && Object.hasOwn(ROLES, name) ? (name as BrandRole) : undefined;
}

/** Mixes a `share` (0 to 1) of `b` into `a`. */
function mix(a: string, b: string, share: number): string {
  const [from, to] = [channels(a), channels(b)];
  const mixed = from.map((value, index) => Math.round(value + ((to[index] ?? value) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** WCAG's contrast ratio of two colours, 1 to 21. */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = channels(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) || 0);
}
