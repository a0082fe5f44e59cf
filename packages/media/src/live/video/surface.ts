import {
  type Compositor,
  type FaceRedrawing,
  livePlacement,
  type PlacedPresenter,
  type PresenterPack,
} from '@figurehead/presenter';
import { rgbaToYuv } from '@figurehead/presenter/colour';
import type { Pose } from '@figurehead/presenter/face';
import { allocateYuv, type Rect, wholeOf, type YuvFrame } from '@figurehead/presenter/frame';
import { createCanvas } from '@napi-rs/canvas';

/** What a surface shows. */
export interface SurfaceSettings {
  readonly pack: PresenterPack;
  readonly width: number;
  readonly height: number;
  /** CSS colour, or {@link TRANSPARENT}. */
  readonly background: string;
}

/** Background of presenters that are shown over other content. */
const TRANSPARENT = 'transparent';

/** The compositor surface of a presenter on a background, at one size. Sessions that look the same share it. */
export interface Surface {
  /** Sides of the frames that `draw` returns, px. */
  readonly width: number;
  readonly height: number;
  /** Visible height, px: half of the frame's for a transparent presenter. */
  readonly shownHeight: number;
  /** Present for presenters whose mouth and eyes can be drawn without the rest. */
  readonly face?: FaceRedrawing | undefined;
  /**
   * Draws the pose. The frame belongs to the surface and is valid until the next draw. With `part`, which comes from `face`, only the pixels
   * inside it show the pose; the others are left from the last draw, possibly of another session.
   */
  draw(pose: Pose, part?: Rect): YuvFrame;
  /** Releases the surface. Idempotent. */
  release(): void;
}

interface SharedSurface {
  readonly placed: PlacedPresenter;
  readonly background: YuvFrame;
  readonly frame: YuvFrame;
  users: number;
}

/** Unused surfaces cached for later sessions with the same settings, about 10 MB each; opening one delays the first picture by 0.1 s. */
const MAX_UNUSED = 4;

/** The surfaces of one thread. Sessions share textures and frames; only the pose is per session. */
export class SurfacePool {
  /** In order of last use, the oldest first. */
  private readonly surfaces = new Map<string, SharedSurface>();
  private readonly packs = new WeakMap<PresenterPack, number>();
  private packCount = 0;
  /** Frames of closed surfaces, reused because the compositor cannot free a frame before it closes. */
  private readonly spare: YuvFrame[] = [];

  constructor(private readonly compositor: Compositor) {}

  /** A cache key, equal for settings that look the same. Two packs with the same name get different keys. */
  keyOf({ pack, width, height, background }: SurfaceSettings): string {
    let number = this.packs.get(pack);
    if (number === undefined) {
      number = this.packCount++;
      this.packs.set(pack, number);
    }
    return `${number} ${width}x${height} ${background}`;
  }

  /** The shared surface for these settings; opens it for the first user. */
  acquire(settings: SurfaceSettings): Surface {
    if (settings.background === TRANSPARENT) return this.acquireTransparent(settings);
    const key = this.keyOf(settings);
    const shared = this.surfaces.get(key) ?? this.open(settings);
    this.surfaces.delete(key);
    this.surfaces.set(key, shared);
    shared.users++;
    let held = true;
    const { width, height } = settings;
    const { placed } = shared;
    return {
      width,
      height,
      shownHeight: height,
      face: placed.face,
      draw: (pose, part = placed.bounds) => {
        this.compositor.restore(shared.background, shared.frame, part);
        placed.draw(pose, shared.frame, part);
        return shared.frame;
      },
      release: () => {
        if (!held) return;
        held = false;
        shared.users--;
        this.evictUnused();
      },
    };
  }

  /**
   * Draws the presenter over black and over white; the difference is its transparency. Always redraws the whole picture, because a part of it would be
   * two areas of the frame. Takes three times as long as an opaque presenter.
   */
  private acquireTransparent(settings: SurfaceSettings): Surface {
    const black = this.acquire({ ...settings, background: '#000000' });
    const white = this.acquire({ ...settings, background: '#ffffff' });
    const { width, height } = settings;
    const frame = transparentFrame(width, height);
    return {
      width,
      height: 2 * height,
      shownHeight: height,
      draw: (pose) => {
        stack(black.draw(pose), white.draw(pose), frame);
        return frame;
      },
      release: () => {
        black.release();
        white.release();
      },
    };
  }

  private evictUnused(): void {
    const unused = [...this.surfaces].filter(([, { users }]) => users === 0);
    for (const [key, { placed, background, frame }] of unused.slice(0, Math.max(0, unused.length - MAX_UNUSED))) {
      placed.close();
      this.spare.push(background, frame);
      this.surfaces.delete(key);
    }
  }

  private open(settings: SurfaceSettings): SharedSurface {
    const { pack, width, height } = settings;
    const plain = plainFrame(settings);
    const [background, frame] = [this.frame(width, height), this.frame(width, height)];
    for (const target of [background, frame]) this.compositor.restore(plain, target, wholeOf(plain));
    const placed = this.compositor.place(pack, livePlacement(settings), { width, height });
    return { placed, background, frame, users: 0 };
  }

  private frame(width: number, height: number): YuvFrame {
    const at = this.spare.findIndex((frame) => frame.width === width && frame.height === height);
    const [found] = at < 0 ? [] : this.spare.splice(at, 1);
    return found ?? this.compositor.createFrame(width, height);
  }
}

/** A frame of one colour; black for an invalid colour, as in a canvas. */
function plainFrame({ width, height, background }: SurfaceSettings): YuvFrame {
  const context = createCanvas(2, 2).getContext('2d');
  context.fillStyle = '#000';
  context.fillRect(0, 0, 2, 2);
  context.fillStyle = background;
  context.fillRect(0, 0, 2, 2);
  const { data } = context.getImageData(0, 0, 2, 2);
  const dot = rgbaToYuv({ width: 2, height: 2, data });
  const frame = allocateYuv(width, height);
  for (const plane of ['y', 'u', 'v'] as const) frame[plane].fill(dot[plane][0]!);
  return frame;
}

/** A frame of twice the height, whose lower half has no colour. */
function transparentFrame(width: number, height: number): YuvFrame {
  const frame = allocateYuv(width, 2 * height);
  for (const plane of [frame.u, frame.v]) plane.fill(128);
  return frame;
}

/** Luma of white; black has 16 (BT.709, limited range). */
const WHITE = 235;

/** Upper half: the picture over black. Lower half: its opacity as luma, computed from the difference between white and black background. */
function stack(black: YuvFrame, white: YuvFrame, into: YuvFrame): void {
  const { width } = black;
  for (let row = 0; row < black.height; row++) {
    const from = row * black.yStride;
    into.y.set(black.y.subarray(from, from + width), row * width);
    const at = (black.height + row) * width;
    const other = row * white.yStride;
    for (let x = 0; x < width; x++) into.y[at + x] = WHITE - (white.y[other + x]! - black.y[from + x]!);
  }
  for (let row = 0; row < black.height / 2; row++) {
    const from = row * black.uvStride;
    into.u.set(black.u.subarray(from, from + width / 2), (row * width) / 2);
    into.v.set(black.v.subarray(from, from + width / 2), (row * width) / 2);
  }
}
