import type { SceneObject } from '@figurehead/contract/document';
import { createFaceTrack } from '@figurehead/presenter/face';
import { copyYuv, wholeOf, type YuvaFrame } from '@figurehead/presenter/frame';
import type { Size } from '@figurehead/presenter/geometry';
import { coverOf, type Painter } from '@figurehead/presenter/painting';
import { frameToSample } from '@figurehead/presenter/time';
import { createCompositor } from '../presenter/index.js';
import { drawMatte } from './compositing/matte.js';
import { shapePicture } from './compositing/shaped.js';
import type { LayerShape } from './contract.js';
import type { DrawingContext, StillCompositor } from './drawing-context.js';
import { compositeOver } from './objects/alpha-over.js';
import { type Canvas, painterOf, pictureOf } from './objects/canvas.js';
import { avatarObjectOf, discBehind, drawablesOf, presenterShape } from './objects/slide-items.js';
import type { ResolvedSlide } from './resolved-slide.js';

/** A canvas with the slide's background; black where a clip plays, transparent where there is none. */
export async function paintBackground(
  { slide }: ResolvedSlide,
  painter: Painter,
  context: DrawingContext,
): Promise<Canvas> {
  const { format, view } = context.viewport;
  const canvas = context.library.createCanvas(format.width, format.height);
  const ctx = canvas.getContext('2d');
  const { background } = slide;
  if (background.kind === 'none') return canvas;
  painter.fill(ctx, background.kind === 'color' ? background.paint : '#000000', format, view);
  if (background.kind === 'picture') {
    const picture = await context.pictures.open(background.src, 'canvas.background');
    ctx.drawImage(await picture.draw(format, coverOf(picture.size, format)), 0, 0);
  }
  return canvas;
}

/** The final picture of a slide without its clips, and without its presenter when it stays for the next slide. */
export async function drawLastFrame(
  resolved: ResolvedSlide,
  context: DrawingContext & { readonly withPresenter: boolean },
): Promise<YuvaFrame> {
  const { format, view } = context.viewport;
  const painter = painterOf(context.library);
  const below = await paintBackground(resolved, painter, context);
  const above = context.library.createCanvas(format.width, format.height);
  const { objects } = resolved.slide;
  const avatar = avatarObjectOf(resolved);
  const avatarIndex = avatar === null ? -1 : objects.indexOf(avatar);
  const withPresenter =
    context.withPresenter && resolved.presenter !== null && !(avatar !== null && isGone(avatar, resolved));
  for (const drawable of await drawablesOf(resolved, context)) {
    if (isGone(drawable.object, resolved)) continue;
    const isAbove = withPresenter && avatarIndex >= 0 && objects.indexOf(drawable.object) > avatarIndex;
    painter.paint((isAbove ? above : below).getContext('2d'), drawable, view, format);
  }
  if (withPresenter && resolved.presenter?.placement.crop === 'circle' && avatar !== null) {
    const disc = discBehind(avatar, resolved.presenter.placement, view);
    if (disc !== null) painter.paint(below.getContext('2d'), disc, view, format);
  }
  const still = pictureOf(below.getContext('2d'), format);
  if (!withPresenter) return still;
  const cover = pictureOf(above.getContext('2d'), format);
  const stance = {
    opacity: avatar?.opacity ?? 1,
    shape: avatar === null ? undefined : await presenterShape(resolved, avatar, context),
  };
  return layPresenter(resolved, { still, cover, ...stance }, context);
}

/** An exit has removed the object by the end of the slide. */
function isGone(object: SceneObject, { slide }: ResolvedSlide): boolean {
  const animation = object.animation ?? slide.animation;
  return animation !== null && (animation.exit !== 'none' || animation.exitAt !== null);
}

/**
 * Creates the compositor for a video's stills once, when a presenter is first drawn. It holds only memory, which is
 * released with this function: one compositor per transition left about 40 MB to the garbage collector each time.
 */
export function sharedStillCompositor(format: Size): () => Promise<StillCompositor> {
  let made: Promise<StillCompositor> | undefined;
  const make = async (): Promise<StillCompositor> => {
    const compositor = await createCompositor();
    return { compositor, target: compositor.createFrame(format.width, format.height) };
  };
  return () => {
    made ??= make();
    return made;
  };
}

/** The stills below and above a presenter, and how it is drawn. */
interface Stance {
  readonly still: YuvaFrame;
  readonly cover: YuvaFrame;
  readonly opacity: number;
  readonly shape: LayerShape | undefined;
}

/** `still` with the presenter in its last pose, and `cover` above both. */
async function layPresenter(
  { slide, presenter, face, frames, fps }: ResolvedSlide,
  { still, cover, opacity, shape }: Stance,
  { loadPack, stillCompositor }: Pick<DrawingContext, 'loadPack' | 'stillCompositor'>,
): Promise<YuvaFrame> {
  if (presenter === null) return still;
  const pack = await loadPack(presenter.pack.folder);
  const { compositor, target } = await stillCompositor();
  const placed = compositor.place(pack, presenter.placement, still);
  const above = compositor.createSprite(cover);
  // The kernel draws upright, opaque presenters into opaque frames. In all other cases the presenter is drawn on grey,
  // matted and composited here.
  const isPlain = shape === undefined && opacity === 1 && slide.background.kind !== 'none';
  try {
    const pose = createFaceTrack(face, pack.motion).poseAt(frameToSample(frames, fps));
    // No await from here on: two slides may share this compositor.
    if (!isPlain) {
      const { x, y, width, height } = placed.bounds;
      if (width > 0 && height > 0) {
        const upright = { picture: drawMatte(target, placed.bounds, () => placed.draw(pose, target)), x, y };
        const laid = shape === undefined ? upright : shapePicture(upright, shape, still);
        if (laid !== null) compositeOver(laid.picture, still, { x: laid.x, y: laid.y, opacity });
      }
      compositeOver(cover, still, { x: 0, y: 0, opacity: 1 });
      return still;
    }
    compositor.restore(still, target, wholeOf(still));
    placed.draw(pose, target);
    above.draw(target, { x: 0, y: 0, scale: 1, opacity: 1 });
    copyYuv(target, wholeOf(still), still);
  } finally {
    placed.close();
    above.close();
  }
  return still;
}
