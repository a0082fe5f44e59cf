import type { Compositor, PlacedPresenter, PresenterPack, Sprite } from '@figurehead/presenter';
import { even, evenUp } from '@figurehead/presenter/even';
import type { FaceTrack, FaceTrackInput, OwnMotion } from '@figurehead/presenter/face';
import { copyYuv, type Rect, wholeOf, type YuvaFrame, type YuvFrame } from '@figurehead/presenter/frame';
import { clipToFrame, NOWHERE, overlaps } from '@figurehead/presenter/geometry';
import { frameToSample } from '@figurehead/presenter/time';
import { openVideo, type VideoReader } from '../../encode/input/video-reader.js';
import { BLACK, cropFrame, drawMatte, extractMatte, paintGrey, WHITE } from '../../scene/compositing/matte.js';
import { shapePicture } from '../../scene/compositing/shaped.js';
import type {
  CaptionLayer,
  CaptionShow,
  Layer,
  LayerShape,
  PresenterLayer,
  Shot,
  SpriteLayer,
  VideoLayer,
} from '../../scene/contract.js';
import { isAtRest, layerStateAt } from './motion.js';

/** Resources of the thread for a {@link ShotDrawing}. The frames are from the compositor and have the shot's size. */
export interface DrawingTools {
  readonly compositor: Compositor;
  /** Frame to draw into; returned by {@link ShotDrawing.draw}. */
  readonly target: YuvFrame;
  /** The base with all layers that do not move in the current range. */
  readonly ground: YuvFrame;
  /** A third frame to cut out a moving presenter. */
  readonly scratch: YuvFrame;
  /** Returns frames with transparency. */
  readonly alpha?: boolean;
  pack(folder: string): PresenterPack;
  createFaceTrack(input: FaceTrackInput, motion?: OwnMotion): FaceTrack;
}

/** A layer with its open resources. */
type OpenLayer =
  | { readonly layer: SpriteLayer; readonly sprite: Sprite }
  | { readonly layer: PresenterLayer; readonly presenter: PlacedPresenter; readonly face: FaceTrack }
  | { readonly layer: VideoLayer; readonly video: VideoReader }
  | { readonly layer: CaptionLayer; readonly captions: Map<CaptionShow, Sprite> };

/**
 * Draws the frames of one shot. Only changes are drawn: the areas that the last frame changed are restored from the
 * ground, then the moving layers are drawn again. The creator closes it.
 */
export class ShotDrawing {
  #dirty: Rect[] | undefined;
  /** A fully opaque alpha plane. */
  #opaque: Uint8Array | undefined;
  /** Layers drawn for each frame of the current range, bottom first; the others are in the ground. */
  #lively: readonly OpenLayer[] = [];

  private constructor(
    readonly shot: Shot,
    private readonly tools: DrawingTools,
    private readonly layers: readonly OpenLayer[],
  ) {}

  /** Prepares all layers. Throws an error that names the unreadable layer, after closing the others. */
  static async open(shot: Shot, tools: DrawingTools): Promise<ShotDrawing> {
    const layers: OpenLayer[] = [];
    try {
      for (const layer of shot.layers) layers.push(await openLayer(layer, shot, tools));
    } catch (error) {
      for (const layer of layers) await closeLayer(layer);
      const failed = shot.layers[layers.length];
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`layer ${layers.length + 1} (${failed?.kind}): ${reason}`, { cause: error });
    }
    return new ShotDrawing(shot, tools, layers);
  }

  /** Prepares for frames `start` … `start + frames − 1`: layers that do not move in them are drawn into the ground once. */
  begin(start: number, frames: number): void {
    const { compositor, ground } = this.tools;
    const lively: OpenLayer[] = [];
    const resting: OpenLayer[] = [];
    for (const open of this.layers) {
      if ('captions' in open) turnPages(open, compositor, { start, frames });
      const rests = restsIn(open.layer, start, frames);
      // A layer above a moving one must be drawn again over it.
      if (rests && !lively.some((below) => overlaps(reach(below, this.shot), reach(open, this.shot))))
        resting.push(open);
      else lively.push(open);
    }
    this.#lively = lively;
    this.#dirty = undefined;
    // The ground is in the WASM memory: a 1080p frame takes 1.2 ms to draw; restored from the base it took 1.7 ms.
    compositor.restore(this.shot.base, ground, wholeOf(ground));
    for (const open of resting) {
      if ('sprite' in open) drawSprite(open.sprite, open.layer, start, ground);
      if ('captions' in open) drawShows(open.captions, start, ground);
    }
  }

  /** Draws one frame of the shot. The result is valid until the next call. */
  async draw(frame: number): Promise<YuvFrame | YuvaFrame> {
    if (this.tools.alpha !== true) return this.#drawOpaque(frame);
    if (this.shot.transparent === true) return this.#drawTransparent(frame);
    this.#opaque ??= new Uint8Array(this.tools.target.yStride * this.tools.target.height).fill(255);
    return { ...(await this.#drawOpaque(frame)), a: this.#opaque };
  }

  async #drawOpaque(frame: number): Promise<YuvFrame> {
    const { compositor, target, ground } = this.tools;
    for (const rect of this.#dirty ?? [wholeOf(target)]) compositor.restore(ground, target, rect);
    const dirty: Rect[] = [];
    for (const open of this.#lively) {
      const touched =
        'captions' in open ? drawShows(open.captions, frame, target) : [await this.#drawLayer(open, frame)];
      dirty.push(...touched.filter((rect) => rect.width > 0 && rect.height > 0));
    }
    this.#dirty = dirty;
    return target;
  }

  /** Draws all layers over black, then over white; the difference is the transparency. */
  async #drawTransparent(frame: number): Promise<YuvaFrame> {
    const { target } = this.tools;
    const all = wholeOf(target);
    const over = async (luma: typeof BLACK | typeof WHITE): Promise<YuvFrame> => {
      paintGrey(target, all, luma);
      for (const open of this.layers) {
        if ('captions' in open) drawShows(open.captions, frame, target);
        else await this.#drawLayer(open, frame);
      }
      return cropFrame(target, all);
    };
    return extractMatte(await over(BLACK), await over(WHITE));
  }

  /** Idempotent. */
  async close(): Promise<void> {
    for (const open of this.layers) await closeLayer(open);
  }

  async #drawLayer(open: Exclude<OpenLayer, { layer: CaptionLayer }>, frame: number): Promise<Rect> {
    const { target } = this.tools;
    if ('sprite' in open) return drawSprite(open.sprite, open.layer, frame, target);
    if ('video' in open) return this.#drawVideo(open.video, open.layer, frame);
    return this.#drawPresenter(open.presenter, open.face, open.layer, frame);
  }

  async #drawPresenter(
    presenter: PlacedPresenter,
    face: FaceTrack,
    layer: PresenterLayer,
    frame: number,
  ): Promise<Rect> {
    const { compositor, target, scratch } = this.tools;
    const pose = face.poseAt(frameToSample(frame, this.shot.format.fps));
    const { bounds } = presenter;
    if (isNeutral(layer, frame)) {
      presenter.draw(pose, target);
      return bounds;
    }
    const { opacity } = layerStateAt(layer.motions, frame);
    if (opacity === 0 || bounds.width === 0 || bounds.height === 0) return NOWHERE;
    // The kernel cannot move a presenter, so during an entrance the presenter is cut out and drawn as a picture.
    const picture = drawMatte(scratch, bounds, () => presenter.draw(pose, scratch));
    return laid(compositor, { picture, ...bounds, ...layer }, frame, target);
  }

  async #drawVideo(video: VideoReader, layer: VideoLayer, frame: number): Promise<Rect> {
    const { compositor, target } = this.tools;
    const picture = await video.frameAt(videoSeconds(layer, video.durationSeconds, frame / this.shot.format.fps));
    if ('a' in picture) return laid(compositor, { ...layer, picture }, frame, target);
    if (isNeutral(layer, frame)) return pasteFrame(picture, target, layer);
    const opaque = new Uint8Array(picture.yStride * picture.height).fill(255);
    return laid(compositor, { ...layer, picture: { ...picture, a: opaque } }, frame, target);
  }
}

/** Position in a video layer's file at `seconds` of its shot, in seconds. */
export function videoSeconds(
  layer: Pick<VideoLayer, 'startSeconds' | 'endSeconds' | 'loop'>,
  durationSeconds: number,
  seconds: number,
): number {
  const length = Math.min(durationSeconds, layer.endSeconds ?? durationSeconds) - layer.startSeconds;
  const held = layer.endSeconds === undefined ? seconds : Math.min(seconds, Math.max(0, length));
  return layer.startSeconds + (layer.loop && length > 0 ? seconds % length : held);
}

async function openLayer(layer: Layer, shot: Shot, tools: DrawingTools): Promise<OpenLayer> {
  switch (layer.kind) {
    case 'sprite':
      return { layer, sprite: tools.compositor.createSprite(layer.picture) };
    case 'presenter': {
      const pack = tools.pack(layer.pack);
      const presenter = tools.compositor.place(pack, layer.placement, shot.format);
      return { layer, presenter, face: tools.createFaceTrack(layer.face, pack.motion) };
    }
    case 'captions':
      return { layer, captions: new Map() };
    case 'video': {
      const size = { width: Math.max(2, evenUp(layer.width)), height: Math.max(2, evenUp(layer.height)) };
      return { layer, video: await openVideo(layer.file, { ...size, alpha: 'where present' }) };
    }
  }
}

async function closeLayer(open: OpenLayer): Promise<void> {
  if ('sprite' in open) open.sprite.close();
  else if ('captions' in open) for (const sprite of open.captions.values()) sprite.close();
  else if ('presenter' in open) open.presenter.close();
  else await open.video.close();
}

/** True when the layer looks the same in all frames from `start` on. */
function restsIn(layer: Layer, start: number, frames: number): boolean {
  if (layer.kind === 'sprite') return isAtRest(layer.motions, start, frames);
  if (layer.kind !== 'captions') return false;
  const changes = layer.shows.flatMap((show) => [show.startFrame, show.startFrame + show.frames]);
  return !changes.some((at) => at > start && at < start + frames);
}

/** Keeps only the caption pictures of these frames, because a long talk has thousands of words. */
function turnPages(
  { layer, captions }: Extract<OpenLayer, { layer: CaptionLayer }>,
  compositor: Compositor,
  { start, frames }: { start: number; frames: number },
): void {
  const isNear = (show: CaptionShow): boolean =>
    show.startFrame < start + frames && show.startFrame + show.frames > start;
  for (const [show, sprite] of captions) {
    if (isNear(show)) continue;
    sprite.close();
    captions.delete(show);
  }
  for (const show of layer.shows) {
    if (isNear(show) && !captions.has(show)) captions.set(show, compositor.createSprite(show.picture));
  }
}

/** Draws the captions of a frame in the listed order: plates, then the words on them. */
function drawShows(captions: ReadonlyMap<CaptionShow, Sprite>, frame: number, target: YuvFrame): Rect[] {
  const now = [...captions].filter(([show]) => frame >= show.startFrame && frame < show.startFrame + show.frames);
  now.sort(([a], [b]) => a.startFrame - b.startFrame || b.frames - a.frames);
  return now.map(([{ x, y }, sprite]) => sprite.draw(target, { x, y, scale: 1, opacity: 1 }));
}

/** Area that a layer can cover; the whole frame when it has motions. */
function reach(open: OpenLayer, shot: Shot): Rect {
  const { layer } = open;
  if (layer.kind === 'captions' || ('shape' in layer && layer.shape !== undefined)) return wholeOf(shot.base);
  if (layer.motions.length > 0 && layer.kind !== 'sprite') return wholeOf(shot.base);
  if ('presenter' in open) return open.presenter.bounds;
  if (layer.kind === 'video')
    return clipToFrame({ ...layer, width: layer.width + 2, height: layer.height + 2 }, shot.base) ?? NOWHERE;
  if (layer.kind === 'sprite') {
    const moved = layer.motions.flatMap((motion) => [motion.from, motion.to]);
    const still = moved.every((state) => state.dx === 0 && state.dy === 0 && state.scale === 1);
    const { width, height } = layer.picture;
    if (still) return clipToFrame({ x: layer.x, y: layer.y, width, height }, shot.base) ?? NOWHERE;
  }
  return wholeOf(shot.base);
}

/** Copies an opaque picture to the even point nearest to the layer's place; returns the touched rectangle. */
function pasteFrame(source: YuvFrame, target: YuvFrame, { x, y }: VideoLayer): Rect {
  const place = { x: even(x), y: even(y) };
  const rect = clipToFrame({ ...wholeOf(source), ...place }, target);
  if (rect === null) return NOWHERE;
  copyYuv(source, { ...rect, x: rect.x - place.x, y: rect.y - place.y }, target, rect);
  return rect;
}

function drawSprite(sprite: Sprite, layer: SpriteLayer, frame: number, target: YuvFrame): Rect {
  const state = layerStateAt(layer.motions, frame);
  if (state.opacity === 0 || state.scale === 0) return NOWHERE;
  return sprite.draw(target, {
    // Layers scale around their centre.
    x: layer.x + state.dx + (sprite.width * (1 - state.scale)) / 2,
    y: layer.y + state.dy + (sprite.height * (1 - state.scale)) / 2,
    scale: state.scale,
    opacity: state.opacity,
  });
}

/** Draws a picture once as a sprite, at the layer's position in this frame. */
function laid(
  compositor: Compositor,
  upright: Pick<SpriteLayer, 'picture' | 'x' | 'y' | 'motions'> & { readonly shape?: LayerShape },
  frame: number,
  target: YuvFrame,
): Rect {
  const { shape, motions } = upright;
  const shaped = shape === undefined ? upright : shapePicture(upright, shape, target);
  if (shaped === null) return NOWHERE;
  const { picture, x, y } = shaped;
  const sprite = compositor.createSprite(picture);
  try {
    return drawSprite(sprite, { kind: 'sprite', picture, x, y, motions }, frame, target);
  } finally {
    sprite.close();
  }
}

/** True when the layer is as designed: upright, unmasked and at rest. */
function isNeutral(layer: PresenterLayer | VideoLayer, frame: number): boolean {
  if (layer.shape !== undefined) return false;
  const state = layerStateAt(layer.motions, frame);
  return state.opacity === 1 && state.scale === 1 && state.dx === 0 && state.dy === 0;
}
