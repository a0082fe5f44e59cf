import { fitPlate } from '@figurehead/presenter/crop';
import { type Matrix, multiply } from '@figurehead/presenter/geometry';
import {
  type Drawable,
  Painter,
  type PaintingContext,
  type PaintingLibrary,
  type PictureAnswer,
  type PictureRequest,
  prepare,
  TextSetter,
} from '@figurehead/presenter/painting';
import type { Avatar, Slide } from '@figurehead/sdk';
import {
  type AvatarObject,
  type CanvasObject,
  type CanvasSize,
  parseDocument,
  presenterBox,
  type SceneObject,
} from '@figurehead/sdk/document';
import { drawnFamilies } from '../api/fonts.js';

/** The canvas itself. */
export const UNMOVED: Matrix = [1, 0, 0, 1, 0, 0];

/** Loaded pictures by their addresses. */
export type LoadedPictures = ReadonlyMap<string, HTMLImageElement>;

/** A presenter's picture, and where its head is, as shares. */
export interface ShownPresenter {
  readonly picture: HTMLImageElement;
  readonly head: NonNullable<Avatar['head']>;
}

/** What is in the place of presenters and clips; absent while it loads. */
export interface Scenery {
  readonly presenter?: ShownPresenter | undefined;
  readonly clip?: HTMLVideoElement | undefined;
}

/** The drawing library of browsers. */
const LIBRARY: PaintingLibrary = {
  createCanvas(width, height) {
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    return canvas as ReturnType<PaintingLibrary['createCanvas']>;
  },
  get Path2D() {
    return window.Path2D;
  },
};

/** A slide's background as objects below all others. */
export function backdropOf(canvas: Slide['canvas'], size: CanvasSize): CanvasObject[] {
  const background = canvas?.background ?? '#ffffff';
  const isPicture = /^([a-z][a-z0-9+.-]*:|\/)/i.test(background) || background.includes('.');
  const whole = { left: 0, top: 0, originX: 'left', originY: 'top', ...size } as const;
  const ground = { type: 'rect', ...whole, fill: isPicture ? '#d9d5ca' : '#ffffff' };
  if (isPicture) return [ground, { type: 'image', ...whole, src: background, fit: 'cover' }];
  return [ground, { type: 'rect', ...whole, fill: background }];
}

/** The presenter of a slide that has no object for it, as an object where rendering puts it; `undefined` when there is none. */
export function unplacedPresenter(
  slide: { readonly [K in 'canvas' | 'avatar' | 'hasAvatar']?: Slide[K] | undefined },
  size: CanvasSize,
): CanvasObject | undefined {
  const objects = slide.canvas?.objects ?? [];
  if (!slide.avatar || slide.hasAvatar === false || objects.some(({ type }) => type === 'avatar')) return undefined;
  const { x, y, width, height } = presenterBox(size, objects.length > 0);
  return { type: 'avatar', left: x, top: y, width, height, originX: 'left', originY: 'top' };
}

/** Position of an origin along its axis: 0 left or top, 1 right or bottom. */
export function shareOf(origin: unknown): number {
  if (typeof origin === 'number') return origin;
  return origin === 'center' ? 0.5 : origin === 'right' || origin === 'bottom' ? 1 : 0;
}

/** Lays out texts as rendering does. Widths are remembered, so another one is needed when fonts have loaded. */
export function openSetter(): TextSetter {
  return new TextSetter(LIBRARY, { familiesFor: fontStack }, null);
}

/** The families that draw a document's family, as CSS. */
export function fontStack(family: string | null | undefined): string {
  return [...drawnFamilies(family ?? 'Times New Roman').map((name) => `"${name}"`), 'sans-serif'].join(', ');
}

/** A stored object as rendering reads it; `undefined` for one that is not drawn. */
export function sceneOf(object: CanvasObject): SceneObject | undefined {
  return parseDocument({ slides: [{ id: 1, canvas: { objects: [object] } }] }).document.slides[0]?.objects[0];
}

/** Addresses of all pictures in objects. */
export function sourcesOf(objects: readonly SceneObject[]): string[] {
  return objects.flatMap((object) => [
    ...(object.type === 'image' ? [object.src] : []),
    ...(object.type === 'group' ? sourcesOf(object.objects) : []),
    ...(object.clip ? sourcesOf([object.clip]) : []),
  ]);
}

/** An object ready to be painted; pictures that have not loaded are left out. */
export function drawableOf(
  object: SceneObject,
  setter: Pick<TextSetter, 'layout'>,
  pictures: LoadedPictures,
): Drawable {
  const frame = { width: Number.POSITIVE_INFINITY, height: Number.POSITIVE_INFINITY };
  const preparing = prepare(object, UNMOVED, { view: UNMOVED, setter, frame });
  let step = preparing.next();
  while (step.done !== true) step = preparing.next(answered(step.value, pictures));
  return step.value;
}

function answered({ object, place }: PictureRequest, pictures: LoadedPictures): PictureAnswer {
  const picture = pictures.get(object.src);
  if (!picture || picture.naturalWidth === 0) return null;
  const natural = { width: picture.naturalWidth, height: picture.naturalHeight };
  const { window } = place(natural);
  if (window === null) return { natural, canvas: picture };
  const [width, height] = [Math.max(1, Math.round(window.width)), Math.max(1, Math.round(window.height))];
  const part = LIBRARY.createCanvas(width, height);
  const [x, y] = [width / window.width, height / window.height];
  part.getContext('2d').drawImage(picture, -window.x * x, -window.y * y, natural.width * x, natural.height * y);
  return { natural, canvas: part };
}

/** Paints an object as rendering does; `view` maps its parent's space to px. */
export function paintObject(ctx: CanvasRenderingContext2D, drawable: Drawable, view: Matrix, scenery: Scenery): void {
  const { object, matrix, size } = drawable;
  new Painter(LIBRARY).paint(ctx as PaintingContext, drawable, view, ctx.canvas);
  if (object.type !== 'avatar' && object.type !== 'video') return;
  ctx.save();
  // As in rendering, presenters and clips are not mirrored or slanted.
  ctx.setTransform(...multiply(view, matrix));
  ctx.globalAlpha *= object.opacity;
  ctx.translate(-size.width / 2, -size.height / 2);
  if (object.type === 'avatar') paintPresenter(ctx, object, scenery.presenter);
  else paintClip(ctx, size, scenery.clip);
  ctx.restore();
}

/** The cut-out of a presenter, in a disc for a circle. */
function paintPresenter(ctx: CanvasRenderingContext2D, object: AvatarObject, shown: ShownPresenter | undefined): void {
  const { width, height, crop, fill } = object;
  if (!shown || width <= 0 || height <= 0) return;
  const { picture, head } = shown;
  const natural = { width: picture.naturalWidth, height: picture.naturalHeight };
  const plate = {
    ...natural,
    head: { pivotX: head.x * natural.width, topY: head.top * natural.height, chinY: head.chin * natural.height },
  };
  const box = { x: 0, y: 0, width, height, crop };
  const { part, scale, left, top } = fitPlate(plate, crop === 'circle' ? box : { ...box, fills: true });
  ctx.beginPath();
  if (crop === 'circle') {
    const radius = (part.width * scale) / 2;
    ctx.arc(left + radius, top + radius, radius, 0, 2 * Math.PI);
    ctx.fillStyle = typeof fill === 'string' ? fill : 'transparent';
    ctx.fill();
  } else ctx.rect(left, top, part.width * scale, part.height * scale);
  ctx.clip();
  const [x, y] = [left - part.x * scale, top - part.y * scale];
  ctx.drawImage(picture, x, y, natural.width * scale, natural.height * scale);
}

/** The first frame of a clip with a sign for playing. */
function paintClip(
  ctx: CanvasRenderingContext2D,
  { width, height }: CanvasSize,
  clip: HTMLVideoElement | undefined,
): void {
  if (clip && clip.videoWidth > 0) {
    const scale = Math.min(width / clip.videoWidth, height / clip.videoHeight);
    const [wide, high] = [clip.videoWidth * scale, clip.videoHeight * scale];
    ctx.drawImage(clip, (width - wide) / 2, (height - high) / 2, wide, high);
  } else {
    ctx.fillStyle = '#00000022';
    ctx.fillRect(0, 0, width, height);
  }
  const mark = Math.min(width, height) * 0.14;
  ctx.translate(width / 2, height / 2);
  ctx.beginPath();
  ctx.arc(0, 0, mark, 0, 2 * Math.PI);
  ctx.fillStyle = '#000000a0';
  ctx.fill();
  ctx.beginPath();
  for (const [x, y] of [
    [-0.4, -0.5],
    [-0.4, 0.5],
    [0.6, 0],
  ] as const) {
    ctx.lineTo(x * mark, y * mark);
  }
  ctx.fillStyle = '#ffffff';
  ctx.fill();
}
