import type { AvatarObject, VideoObject } from '@figurehead/contract/document';
import { type Rect, wholeOf } from '@figurehead/presenter/frame';
import { grow, type Matrix, placeObject, type Size, unite } from '@figurehead/presenter/geometry';
import { type Drawable, extentOf, type Preparation, prepare, TextSetter } from '@figurehead/presenter/painting';
import type { Layer, LayerMotion, LayerShape, VideoLayer } from '../contract.js';
import type { DrawingContext } from '../drawing-context.js';
import { boxOf, evenBox } from '../placement.js';
import { type Clip, hashOf, type ResolvedSlide } from '../resolved-slide.js';
import { gathered } from './gathered.js';
import { shapeOf } from './layer-shape.js';
import { type Moving, motionsOf, sweepOf, withOpacity } from './motions.js';

/**
 * An item on the slide, bottom first: drawings that are static or move together, or a layer that is created elsewhere.
 */
export type Item =
  | {
      readonly kind: 'drawing';
      readonly drawables: Drawable[];
      extent: Rect;
      readonly motions: readonly LayerMotion[];
      readonly shared: boolean;
    }
  | { readonly kind: 'layer'; readonly layer: Layer; readonly sweep: Rect };

/** True when the presenter is the same and in the same place as on the previous slide. */
export function continuesPresenter(resolved: ResolvedSlide, before: ResolvedSlide | null): boolean {
  const [now, then] = [resolved.presenter, before?.presenter ?? null];
  if (now === null || then === null || now.pack.version !== then.pack.version) return false;
  const [here, there] = [avatarObjectOf(resolved), before === null ? null : avatarObjectOf(before)];
  const looks = (avatar: AvatarObject | null) => [avatar?.angle ?? 0, avatar?.opacity ?? 1, avatar?.clip ?? null];
  return hashOf([now.placement, looks(here)]) === hashOf([then.placement, looks(there)]);
}

/** The object that determines the place of the slide's presenter; null without one. */
export function avatarObjectOf({ slide }: ResolvedSlide): AvatarObject | null {
  return slide.objects.find((object) => object.type === 'avatar') ?? null;
}

/** How the presenter is turned and masked in the place of `avatar`; `undefined` when it is upright and unmasked. */
export function presenterShape(
  { slide }: ResolvedSlide,
  avatar: AvatarObject,
  context: DrawingContext,
): Promise<LayerShape | undefined> {
  return shapeOf(avatar, { size: avatar, seen: avatar }, { context, tools: preparationFor(slide, context) });
}

/** The slide's own drawings, bottom first. Throws a `SceneError`. */
export async function drawablesOf({ slide }: ResolvedSlide, context: DrawingContext): Promise<Drawable[]> {
  const tools = preparationFor(slide, context);
  const drawables: Drawable[] = [];
  for (const object of slide.objects) {
    if (object.type === 'avatar' || object.type === 'video') continue;
    drawables.push(await gathered(prepare(object, context.viewport.view, tools), context.pictures));
  }
  return drawables;
}

function preparationFor({ language }: ResolvedSlide['slide'], context: DrawingContext): Preparation {
  const setter = new TextSetter(context.library, context.fonts, language);
  return { setter, view: context.viewport.view, frame: context.viewport.format };
}

/** Everything on the slide above its background, bottom first, with its motions. */
export async function itemsOf(
  resolved: ResolvedSlide,
  before: ResolvedSlide | null,
  frames: number,
  context: DrawingContext,
): Promise<Item[]> {
  const { slide, presenter } = resolved;
  const { format, view } = context.viewport;
  const whole = wholeOf(format);
  const moving = (box: Rect): Moving => ({ box, frame: format, fps: format.fps, frames });
  const items: Item[] = [];
  if (slide.background.kind === 'video') {
    const clip = resolved.clips.get(slide.background.src);
    if (clip !== undefined) {
      items.push(clipItem(clip, coverBox(clip, format), [], { startSeconds: 0, endSeconds: null, loop: true }));
    }
  }
  const drawables = new Map((await drawablesOf(resolved, context)).map((drawable) => [drawable.object, drawable]));
  const shaping = { context, tools: preparationFor(slide, context) };
  const presenterItem = async (avatar: AvatarObject | null): Promise<void> => {
    if (presenter === null) return;
    const { pack, placement } = presenter;
    const opacity = avatar?.opacity ?? 1;
    const own = avatar?.animation ?? (continuesPresenter(resolved, before) ? null : slide.animation);
    const motions = withOpacity(motionsOf(own, moving(placement)), opacity);
    const disc = avatar === null || placement.crop !== 'circle' ? null : discBehind(avatar, placement, view);
    if (disc !== null)
      items.push({ kind: 'drawing', drawables: [disc], extent: extentOf(disc, view), motions, shared: false });
    const shape = avatar === null ? undefined : await presenterShape(resolved, avatar, context);
    // The head and shoulders sway a little beyond the resting outline.
    const sweep = shape === undefined ? sweepOf(grow(placement, placement.height * 0.04), motions) : whole;
    items.push({
      kind: 'layer',
      layer: { kind: 'presenter', pack: pack.folder, placement, face: resolved.face, ...(shape && { shape }), motions },
      sweep,
    });
  };
  let stands = false;
  for (const object of slide.objects) {
    if (object.type === 'avatar') {
      if (!stands) await presenterItem(object);
      stands = true;
      continue;
    }
    if (object.type === 'video') {
      const clip = resolved.clips.get(object.src);
      if (clip === undefined) continue;
      const { box, size, seen } = clipBox(object, clip, context);
      const shape = await shapeOf(object, { size, seen }, shaping);
      const motions = withOpacity(motionsOf(object.animation ?? slide.animation, moving(box)), object.opacity);
      const item = clipItem(clip, box, motions, object);
      if (shape === undefined) items.push(item);
      else items.push({ ...item, layer: { ...item.layer, shape }, sweep: whole });
      continue;
    }
    const drawable = drawables.get(object);
    if (drawable === undefined) continue;
    const extent = extentOf(drawable, view);
    // Objects that move with the whole slide move as one picture around the frame's centre.
    const motions =
      object.animation === null
        ? motionsOf(slide.animation, moving(whole))
        : motionsOf(object.animation, moving(extent));
    const last = items.at(-1);
    const isShared = object.animation === null && motions.length > 0;
    if (isShared && last?.kind === 'drawing' && last.shared) {
      last.drawables.push(drawable);
      last.extent = unite(last.extent, extent);
    } else items.push({ kind: 'drawing', drawables: [drawable], extent, motions, shared: isShared });
  }
  if (!stands) await presenterItem(null);
  return items;
}

/** The filled disc behind a presenter in a circle; null when it has no colour. */
export function discBehind(avatar: AvatarObject, placement: Rect, view: Matrix): Drawable | null {
  if (avatar.fill === null) return null;
  const side = Math.min(placement.width, placement.height);
  const diameter = side / view[0];
  const centre = { x: placement.x + placement.width / 2, y: placement.y + placement.height - side / 2 };
  const size = { width: diameter, height: diameter };
  const object = {
    ...avatar,
    ...size,
    type: 'ellipse' as const,
    ...{ rx: diameter / 2, ry: diameter / 2, startAngle: 0, endAngle: 360 },
    ...{ left: centre.x / view[0], top: centre.y / view[3], originX: 0.5, originY: 0.5 },
    ...{ scaleX: 1, scaleY: 1, angle: 0, skewX: 0, skewY: 0, flipX: false, flipY: false },
    ...{ clip: null, backdrop: null, opacity: 1 },
  };
  const matrix = placeObject(object, size);
  return { object, size, matrix, layout: null, picture: null, children: [], clip: null };
}

function clipItem(
  clip: Clip,
  box: Rect,
  motions: readonly LayerMotion[],
  { startSeconds, endSeconds, loop }: Pick<VideoObject, 'startSeconds' | 'endSeconds' | 'loop'>,
): Item & { readonly kind: 'layer'; readonly layer: VideoLayer } {
  const trim = endSeconds === null ? {} : { endSeconds };
  const layer: VideoLayer = { kind: 'video', file: clip.file, ...box, startSeconds, ...trim, loop, motions };
  return { kind: 'layer', layer, sweep: sweepOf(box, motions) };
}

/** Frame-filling box of a clip with its own aspect ratio; it extends past the frame's edges where necessary. */
function coverBox(clip: Clip, frame: Size): Rect {
  if (clip.size === null) return wholeOf(frame);
  const scale = Math.max(frame.width / clip.size.width, frame.height / clip.size.height);
  const [width, height] = [clip.size.width * scale, clip.size.height * scale];
  return evenBox({ x: (frame.width - width) / 2, y: (frame.height - height) / 2, width, height });
}

/**
 * The box in px, inside the object's box, in which a clip keeps its aspect ratio; without a box, its own size in canvas
 * units. Also the object's size in canvas units and the part of it that the clip fills.
 */
function clipBox(
  object: VideoObject,
  clip: Clip,
  { viewport }: DrawingContext,
): { readonly box: Rect; readonly size: Size; readonly seen: Size } {
  const natural = clip.size ?? { width: 320, height: 180 };
  const size = {
    width: object.width || (object.height ? (object.height * natural.width) / natural.height : natural.width),
    height: object.height || (object.width ? (object.width * natural.height) / natural.width : natural.height),
  };
  const box = boxOf(object, size, viewport.view);
  if (clip.size === null) return { box: evenBox(box), size, seen: size };
  const scale = Math.min(box.width / natural.width, box.height / natural.height);
  const [width, height] = [natural.width * scale, natural.height * scale];
  const seen = { width: (size.width * width) / box.width, height: (size.height * height) / box.height };
  const fitted = { x: box.x + (box.width - width) / 2, y: box.y + (box.height - height) / 2, width, height };
  return { box: evenBox(fitted), size, seen };
}
