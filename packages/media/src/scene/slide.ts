import { rgbaToYuv } from '@figurehead/presenter/colour';
import { allocateYuv, type Rect, wholeOf, type YuvFrame } from '@figurehead/presenter/frame';
import { clipToFrame, overlaps, unite } from '@figurehead/presenter/geometry';
import type { Painter } from '@figurehead/presenter/painting';
import { paintGrey, WHITE } from './compositing/matte.js';
import type { Layer } from './contract.js';
import type { DrawingContext } from './drawing-context.js';
import { painterOf, pictureOf } from './objects/canvas.js';
import { ditherGradients } from './objects/gradient-dither.js';
import { sweepOf, transitionMotions } from './objects/motions.js';
import { continuesPresenter, type Item, itemsOf } from './objects/slide-items.js';
import type { ResolvedSlide } from './resolved-slide.js';
import { drawLastFrame, paintBackground } from './still.js';

/** Base and layers of a slide, the part of a shot that can be cached. */
export interface ComposedSlide {
  readonly base: YuvFrame;
  readonly transparent?: true;
  readonly layers: readonly Layer[];
}

/** Static drawings above a moving layer are joined into one sprite unless that would mostly be empty. */
const JOINED_WASTE = 1.5;
/** More sprites than this cost more per frame than larger ones. */
const MAX_SPRITES = 24;

/** Draws the slide: static items once into the base, the others as layers above it. */
export async function composeSlide(
  resolved: ResolvedSlide,
  before: ResolvedSlide | null,
  frames: number,
  context: DrawingContext,
): Promise<ComposedSlide> {
  const { format, view } = context.viewport;
  const painter = painterOf(context.library);
  const canvas = await paintBackground(resolved, painter, context);
  const items = await itemsOf(resolved, before, frames, context);
  const ctx = canvas.getContext('2d');
  const floating: Rect[] = [];
  const above: Item[] = [];
  for (const item of items) {
    const isStanding = item.kind === 'drawing' && item.motions.length === 0;
    if (isStanding && !floating.some((rect) => overlaps(rect, item.extent))) {
      for (const drawable of item.drawables) painter.paint(ctx, drawable, view, format);
      continue;
    }
    above.push(item);
    floating.push(item.kind === 'layer' ? item.sweep : sweepOf(item.extent, item.motions));
  }
  const layers = joinStanding(above).flatMap((item): Layer[] => {
    const layer = item.kind === 'layer' ? item.layer : spriteOf(item, painter, context);
    return layer === null ? [] : [layer];
  });
  const leaving = await leavingLayer(resolved, before, frames, context);
  if (leaving !== null) {
    // A staying presenter is above the transition; a leaving one is part of it.
    const steady = continuesPresenter(resolved, before) ? layers.findIndex((layer) => layer.kind === 'presenter') : -1;
    layers.splice(steady < 0 ? layers.length : steady, 0, leaving);
  }
  if (resolved.slide.background.kind !== 'none') {
    const image = { width: format.width, height: format.height, data: canvas.data() };
    const base = rgbaToYuv(image);
    ditherGradients(image, base);
    return { base, layers };
  }
  // Without a background, the base becomes a layer.
  const base = allocateYuv(format.width, format.height);
  paintGrey(base, wholeOf(base), WHITE);
  const picture = pictureOf(ctx, format);
  return { base, transparent: true, layers: [{ kind: 'sprite', picture, x: 0, y: 0, motions: [] }, ...layers] };
}

/** The previous slide on its way out, drawn over this one. */
async function leavingLayer(
  resolved: ResolvedSlide,
  before: ResolvedSlide | null,
  frames: number,
  context: DrawingContext,
): Promise<Layer | null> {
  if (resolved.slide.transition === 'none' || before === null) return null;
  const frame = context.viewport.format;
  const motions = transitionMotions(resolved.slide.transition, { box: wholeOf(frame), frame, fps: frame.fps, frames });
  const withPresenter = !continuesPresenter(resolved, before);
  const picture = await drawLastFrame(before, { ...context, withPresenter });
  return { kind: 'sprite', picture, x: 0, y: 0, motions };
}

/** Joins neighbouring static drawings, so that a moving layer below them costs few sprites. */
function joinStanding(items: readonly Item[]): Item[] {
  const joined: Item[] = [];
  const crowded = items.length > MAX_SPRITES;
  for (const item of items) {
    const last = joined.at(-1);
    if (item.kind === 'drawing' && last?.kind === 'drawing' && item.motions.length === 0 && last.motions.length === 0) {
      const union = unite(last.extent, item.extent);
      const area = (rect: Rect): number => rect.width * rect.height;
      if (crowded || area(union) <= JOINED_WASTE * (area(last.extent) + area(item.extent))) {
        last.drawables.push(...item.drawables);
        last.extent = union;
        continue;
      }
    }
    joined.push(item.kind === 'drawing' ? { ...item, drawables: [...item.drawables] } : item);
  }
  return joined;
}

function spriteOf(
  item: Item & { kind: 'drawing' },
  painter: Painter,
  { viewport, library }: DrawingContext,
): Layer | null {
  const { format, view } = viewport;
  // A moving picture may start outside the frame; parts more than a frame away never become visible.
  const margin = item.motions.length === 0 ? { width: 0, height: 0 } : format;
  const room = { width: format.width + 2 * margin.width, height: format.height + 2 * margin.height };
  const shifted = { ...item.extent, x: item.extent.x + margin.width, y: item.extent.y + margin.height };
  const area = clipToFrame(shifted, room);
  if (area === null) return null;
  const [x, y] = [area.x - margin.width, area.y - margin.height];
  const canvas = library.createCanvas(area.width, area.height);
  const ctx = canvas.getContext('2d');
  for (const drawable of item.drawables) {
    painter.paint(ctx, drawable, [view[0], 0, 0, view[3], view[4] - x, view[5] - y], area);
  }
  return { kind: 'sprite', picture: pictureOf(ctx, area), x, y, motions: item.motions };
}
