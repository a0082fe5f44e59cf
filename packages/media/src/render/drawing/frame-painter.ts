import type { Compositor, PresenterPack } from '@figurehead/presenter';
import { createFaceTrack } from '@figurehead/presenter/face';
import { allocateYuv, copyYuv, wholeOf, type YuvFrame } from '@figurehead/presenter/frame';
import { createCompositor } from '../../presenter/index.js';
import type { Shot } from '../../scene/contract.js';
import { createPackLoader } from '../pack-loader.js';
import { ShotDrawing } from './drawing.js';

/** Opens a painter on the calling thread; `load` caches recent packs, so that the next frame is fast. */
export async function openFramePainter(load = createPackLoader()): Promise<FramePainter> {
  return new FramePainter(await createCompositor(), load);
}

/** Draws single frames for previews. The creator closes it. */
export class FramePainter {
  #frames: { size: string; target: YuvFrame; ground: YuvFrame; scratch: YuvFrame } | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(
    private compositor: Compositor,
    private readonly load: (folder: string) => Promise<PresenterPack>,
  ) {}

  /**
   * Draws frame `frame` of a shot exactly as for the finished video, before encoding. The caller owns the picture.
   * Calls run one after the other. Throws an error that names the layer that cannot be drawn.
   */
  paint(shot: Shot, frame: number): Promise<YuvFrame> {
    const painted = this.#turn.then(() => this.#paint(shot, frame));
    this.#turn = painted.catch(() => undefined);
    return painted;
  }

  /** Waits for the frame being drawn, then frees everything. Idempotent. */
  async close(): Promise<void> {
    await this.#turn;
    if (this.#closed) return;
    this.#closed = true;
    this.compositor.close();
  }

  async #paint(shot: Shot, frame: number): Promise<YuvFrame> {
    if (this.#closed) throw new Error('the painter is closed');
    if (!Number.isInteger(frame) || frame < 0 || frame >= shot.frames) {
      throw new RangeError(`expected a frame from 0 to ${shot.frames - 1}, got ${frame}`);
    }
    const packs = await this.#packsOf(shot);
    // First, because another size replaces the compositor.
    const frames = await this.#framesOf(shot);
    const drawing = await ShotDrawing.open(shot, {
      compositor: this.compositor,
      ...frames,
      pack: (folder) => packs.get(folder)!,
      createFaceTrack,
    });
    try {
      drawing.begin(frame, 1);
      return copyOf(await drawing.draw(frame));
    } finally {
      await drawing.close();
    }
  }

  /** Frames of the shot's size. A compositor frees its frames only when it closes, so another size gets a new compositor. */
  async #framesOf(shot: Shot): Promise<{ target: YuvFrame; ground: YuvFrame; scratch: YuvFrame }> {
    const { width, height } = shot.format;
    const size = `${width}×${height}`;
    if (this.#frames && this.#frames.size !== size) {
      this.compositor.close();
      this.compositor = await createCompositor();
      this.#frames = undefined;
    }
    const frame = (): YuvFrame => this.compositor.createFrame(width, height);
    this.#frames ??= { size, target: frame(), ground: frame(), scratch: frame() };
    return this.#frames;
  }

  async #packsOf(shot: Shot): Promise<Map<string, PresenterPack>> {
    const wanted = new Map<string, PresenterPack>();
    for (const layer of shot.layers) {
      if (layer.kind === 'presenter') wanted.set(layer.pack, await this.load(layer.pack));
    }
    return wanted;
  }
}

/** Copies the frame out of the WASM memory, where the next frame would overwrite it. */
function copyOf(frame: YuvFrame): YuvFrame {
  const copy = allocateYuv(frame.width, frame.height);
  copyYuv(frame, wholeOf(frame), copy);
  return copy;
}
