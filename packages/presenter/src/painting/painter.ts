import type { Paint, SceneObject, TextObject } from '@figurehead/contract/document';
import type { Rect } from '../frame.js';
import type { PaintingContext, PaintingLibrary } from './context.js';
import { type Drawable, extentOf } from './drawables.js';
import { clipToFrame, type Matrix, multiply, type Size, scaleOf } from './geometry.js';
import { applyFont, forEachRun, runWidth, type TextLayout } from './text.js';

/** The fill style of letters of a colour. */
export type Ink = (ctx: PaintingContext, colour: string) => PaintingContext['fillStyle'];

/** Paints drawables on canvases. */
export class Painter {
  /**
   * @param library creates the scratch canvases.
   * @param ink for a library that draws letters otherwise than browsers do.
   */
  constructor(
    private readonly library: PaintingLibrary,
    private readonly ink: Ink = (_ctx, colour) => colour,
  ) {}

  /** Paints `drawable`; `view` maps its parent's space to px of `ctx`, which is `surface` px large. */
  paint(ctx: PaintingContext, drawable: Drawable, view: Matrix, surface: Size): void {
    const { object } = drawable;
    if (object.opacity === 0) return;
    if (!needsLayer(drawable)) {
      ctx.save();
      ctx.setTransform(...multiply(view, drawable.matrix));
      ctx.globalAlpha *= object.opacity;
      castShadow(ctx, object, multiply(view, drawable.matrix));
      this.#paintContent(ctx, drawable, multiply(view, drawable.matrix), surface);
      ctx.restore();
      return;
    }
    // Stroke over fill, overlapping children and clips must be combined before opacity is applied.
    const area = clipToFrame(extentOf(drawable, view), surface);
    if (area === null) return;
    const layer = this.#paintLayer(drawable, view, area);
    ctx.save();
    ctx.resetTransform();
    ctx.globalAlpha *= object.opacity;
    castShadow(ctx, object, multiply(view, drawable.matrix));
    ctx.drawImage(layer, area.x, area.y);
    ctx.restore();
  }

  #paintLayer(drawable: Drawable, view: Matrix, area: Rect): object {
    const layer = this.library.createCanvas(area.width, area.height);
    const ctx = layer.getContext('2d');
    const inner = multiply([1, 0, 0, 1, -area.x, -area.y], multiply(view, drawable.matrix));
    ctx.setTransform(...inner);
    this.#paintContent(ctx, drawable, inner, area);
    const { clip } = drawable;
    if (clip !== null) {
      const mask = this.library.createCanvas(area.width, area.height);
      this.paint(mask.getContext('2d'), clip, inner, area);
      ctx.resetTransform();
      ctx.globalCompositeOperation = clip.object.inverted ? 'destination-out' : 'destination-in';
      ctx.drawImage(mask, 0, 0);
    }
    return layer;
  }

  #paintContent(ctx: PaintingContext, drawable: Drawable, inner: Matrix, surface: Size): void {
    const { object, size } = drawable;
    const left = -size.width / 2;
    const top = -size.height / 2;
    if (object.backdrop !== null) {
      ctx.fillStyle = object.backdrop;
      ctx.fillRect(left, top, size.width, size.height);
    }
    switch (object.type) {
      case 'text':
      case 'textbox':
        if (drawable.layout === null) return;
        ctx.setTransform(...unhinted(inner));
        paintText(ctx, object, drawable.layout, { size, ink: this.ink });
        return;
      case 'image':
        paintPicture(ctx, drawable, object.radius);
        return;
      case 'group':
        for (const child of drawable.children) this.paint(ctx, child, inner, surface);
        return;
      case 'avatar':
      case 'video':
        return;
      default:
        ctx.beginPath();
        fillAndStroke(ctx, drawable, object.type === 'path' ? shapeOf(object, this.library) : null);
    }
  }

  /** Fills all of `ctx`. */
  fill(ctx: PaintingContext, colour: Paint, surface: Size, view: Matrix): void {
    ctx.save();
    const units = { width: surface.width / view[0], height: surface.height / view[3] };
    ctx.setTransform(view[0], 0, 0, view[3], surface.width / 2, surface.height / 2);
    // White first, because nothing else is behind a translucent background.
    for (const coat of ['#ffffff', colour]) {
      ctx.fillStyle = styleOf(ctx, coat, units);
      ctx.fillRect(-units.width / 2, -units.height / 2, units.width, units.height);
    }
    ctx.restore();
  }
}

/** A path around the middle of its box. */
function shapeOf({ data, offset }: SceneObject & { type: 'path' }, { Path2D }: PaintingLibrary): object {
  const moved = new Path2D();
  moved.addPath(new Path2D(data), { a: 1, b: 0, c: 0, d: 1, e: -offset.x, f: -offset.y });
  return moved;
}

/** Fills and strokes `path`, or the outline of a simple shape. */
function fillAndStroke(ctx: PaintingContext, { object, size }: Drawable, path: object | null): void {
  if (path === null) OUTLINES[object.type as OutlineType](ctx, object as never, size);
  const fill = (): void => {
    if (object.fill === null || object.type === 'line') return;
    ctx.fillStyle = styleOf(ctx, object.fill, size);
    if (path === null) ctx.fill();
    else ctx.fill(path);
  };
  const stroke = (): void => {
    if (object.stroke === null || object.strokeWidth === 0) return;
    setStroke(ctx, object, size);
    if (path === null) ctx.stroke();
    else ctx.stroke(path);
  };
  if (object.strokeFirst) stroke();
  fill();
  if (!object.strokeFirst) stroke();
}

function needsLayer({ object, clip }: Drawable): boolean {
  if (clip !== null) return true;
  // The clip that rounds a picture would also cut off its shadow.
  const isRounded = object.type === 'image' && object.radius > 0;
  const isCompound = object.type === 'group' || object.backdrop !== null || isRounded;
  const isDouble = object.fill !== null && object.stroke !== null && object.strokeWidth > 0;
  if (object.shadow !== null && (isCompound || isDouble)) return true;
  return object.opacity < 1 && (isCompound || isDouble || object.type === 'text' || object.type === 'textbox');
}

function castShadow(ctx: PaintingContext, object: SceneObject, inner: Matrix): void {
  if (object.shadow === null) return;
  const scale = scaleOf(inner);
  ctx.shadowColor = object.shadow.color;
  ctx.shadowBlur = object.shadow.blur * scale;
  ctx.shadowOffsetX = object.shadow.offsetX * scale;
  ctx.shadowOffsetY = object.shadow.offsetY * scale;
}

/** A canvas fill style for an object whose box of `size` is centred on the origin. */
function styleOf(ctx: PaintingContext, paint: Paint, size: Size): PaintingContext['fillStyle'] {
  if (typeof paint === 'string') return paint;
  const [w, h] = paint.units === 'percentage' ? [size.width, size.height] : [1, 1];
  const [ox, oy] = [-size.width / 2, -size.height / 2];
  const { x1, y1, x2, y2, r1, r2 } = paint.coords;
  const gradient =
    paint.kind === 'linear'
      ? ctx.createLinearGradient(ox + x1 * w, oy + y1 * h, ox + x2 * w, oy + y2 * h)
      : ctx.createRadialGradient(
          ox + x1 * w,
          oy + y1 * h,
          r1 * Math.max(w, h),
          ox + x2 * w,
          oy + y2 * h,
          r2 * Math.max(w, h),
        );
  for (const stop of paint.stops) gradient.addColorStop(stop.offset, stop.color);
  return gradient;
}

function setStroke(ctx: PaintingContext, object: SceneObject, size: Size): void {
  if (object.stroke !== null) ctx.strokeStyle = styleOf(ctx, object.stroke, size);
  ctx.lineWidth = object.strokeWidth;
  ctx.lineCap = object.strokeCap;
  ctx.lineJoin = object.strokeJoin;
  ctx.setLineDash([...object.strokeDash]);
}

type OutlineType = Exclude<SceneObject['type'], 'text' | 'textbox' | 'image' | 'group' | 'avatar' | 'video' | 'path'>;

/** Draws the outline of every simple shape as the context's current path; its box is centred on the origin. */
export const OUTLINES: {
  readonly [T in OutlineType]: (
    ctx: PaintingContext,
    object: Extract<SceneObject, { readonly type: T }>,
    size: Size,
  ) => void;
} = {
  rect(ctx, object, size) {
    const [w, h] = [size.width / 2, size.height / 2];
    const [rx, ry] = [Math.min(object.rx, w), Math.min(object.ry, h)];
    if (rx > 0 && ry > 0) ctx.roundRect(-w, -h, size.width, size.height, [{ x: rx, y: ry }]);
    else ctx.rect(-w, -h, size.width, size.height);
  },
  ellipse(ctx, { rx, ry, startAngle, endAngle }) {
    const turn = Math.PI / 180;
    const full = Math.abs(endAngle - startAngle) >= 360;
    ctx.ellipse(0, 0, rx, ry, 0, full ? 0 : startAngle * turn, full ? 2 * Math.PI : endAngle * turn);
    if (full) ctx.closePath();
  },
  triangle(ctx, _object, { width, height }) {
    ctx.moveTo(-width / 2, height / 2);
    ctx.lineTo(0, -height / 2);
    ctx.lineTo(width / 2, height / 2);
    ctx.closePath();
  },
  line(ctx, object) {
    ctx.moveTo(object.x1, object.y1);
    ctx.lineTo(object.x2, object.y2);
  },
};

function paintPicture(ctx: PaintingContext, drawable: Drawable, radius: number): void {
  if (drawable.picture === null) return;
  const { canvas, box } = drawable.picture;
  const { object, size } = drawable;
  ctx.save();
  ctx.imageSmoothingQuality = 'high';
  if (radius > 0) {
    ctx.beginPath();
    ctx.roundRect(box.x, box.y, box.width, box.height, Math.min(radius, box.width / 2, box.height / 2));
    ctx.clip();
  }
  ctx.drawImage(canvas, box.x, box.y, box.width, box.height);
  ctx.restore();
  if (object.stroke !== null && object.strokeWidth > 0) {
    setStroke(ctx, object, size);
    ctx.beginPath();
    ctx.roundRect(-size.width / 2, -size.height / 2, size.width, size.height, radius);
    ctx.stroke();
  }
}

// Fabric's values for decorations, in font sizes: offset of the line's middle from the baseline, and its thickness.
const DECORATIONS = { underline: 0.1, linethrough: -0.315, overline: -0.88 } as const;
const DECORATION_THICKNESS = 1 / 15;

/**
 * Slant of letters, px for each unit of height: Skia, which draws for browsers and for `@napi-rs/canvas`, rounds it to 1/1024 in letters, and moves
 * their edges to whole px only where there is none.
 */
const SLANT = 0.6 / 1024;

/** A matrix whose letters have the outlines of their font: libraries that move edges to whole px do so differently, above all in ligatures. */
function unhinted([a, b, c, d, e, f]: Matrix): Matrix {
  return b === 0 && c === 0 ? [a, b, SLANT, d, e, f] : [a, b, c, d, e, f];
}

function paintText(
  ctx: PaintingContext,
  object: TextObject,
  layout: TextLayout,
  { size, ink }: { readonly size: Size; readonly ink: Ink },
): void {
  const top = -layout.height / 2 - (size.height - layout.height) / 2;
  forEachRun(layout, (run, { x, line }) => {
    if (run.style.background === null) return;
    ctx.fillStyle = run.style.background;
    ctx.fillRect(x, top + line.top, runWidth(run, line), line.height / object.lineHeight);
  });
  forEachRun(layout, (run, { x, line }) => {
    const { style } = run;
    const baseline = top + line.baseline + style.deltaY;
    applyFont(ctx, run, object.charSpacing, line);
    const fill = (): void => {
      if (style.fill === null) return;
      ctx.fillStyle = typeof style.fill === 'string' ? ink(ctx, style.fill) : styleOf(ctx, style.fill, size);
      ctx.fillText(run.text, x, baseline);
    };
    const stroke = (): void => {
      if (style.stroke === null || style.strokeWidth === 0) return;
      setStroke(ctx, { ...object, stroke: style.stroke, strokeWidth: style.strokeWidth }, size);
      ctx.strokeText(run.text, x, baseline);
    };
    if (object.strokeFirst) stroke();
    fill();
    if (!object.strokeFirst) stroke();
    for (const [name, offset] of Object.entries(DECORATIONS)) {
      if (!style[name as keyof typeof DECORATIONS] || style.fill === null) continue;
      const thickness = style.fontSize * DECORATION_THICKNESS;
      ctx.fillStyle = styleOf(ctx, style.fill, size);
      ctx.fillRect(x, baseline + style.fontSize * offset - thickness / 2, runWidth(run, line), thickness);
    }
  });
}
