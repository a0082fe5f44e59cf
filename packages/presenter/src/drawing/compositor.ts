import type { Compositor, PlacedPresenter, PresenterPack, PresenterPlacement, Sprite } from '../contract.js';
import type { Rect, YuvaFrame, YuvFrame } from '../frame.js';
import { asLoaded, type LoadedPack } from '../pack/pack.js';
import { type PackTextures, uploadPack } from '../pack/textures.js';
import { ArmsPlate } from './arms-plate.js';
import { layOut } from './crop.js';
import { FacePlate } from './face-plate.js';
import { FlatSprite } from './flat-sprite.js';
import { FrameStore } from './frame-store.js';
import type { DrawingKernel } from './kernel.js';
import { Placement } from './placed-presenter.js';

/** A compositor for the calling thread, with a kernel of its own. The caller closes it. */
export function createCompositor(kernel: DrawingKernel): Compositor {
  return new KernelCompositor(kernel);
}

/** A pack at one scale, and the number of placements that use it. */
interface SharedTextures {
  readonly textures: PackTextures;
  readonly face: FacePlate;
  /** Present in packs with a body. */
  readonly arms: ArmsPlate | undefined;
  users: number;
}

class KernelCompositor implements Compositor {
  private readonly frames: FrameStore;
  private readonly open = new Set<PlacedPresenter | Sprite>();
  private readonly shared = new Map<LoadedPack, Map<number, SharedTextures>>();
  private isOpen = true;

  constructor(private readonly kernel: DrawingKernel) {
    this.frames = new FrameStore(kernel);
  }

  createFrame(width: number, height: number): YuvFrame {
    this.checkOpen();
    return this.frames.create(width, height);
  }

  restore(source: YuvFrame, target: YuvFrame, rect: Rect): void {
    if (source.width !== target.width || source.height !== target.height) {
      throw new RangeError(
        `expected frames of one size, got ${source.width}×${source.height} and ${target.width}×${target.height}`,
      );
    }
    if (rect.width <= 0 || rect.height <= 0) return;
    const to = this.frames.addressesOf(target);
    const from = this.frames.find(source);
    for (const plane of ['y', 'u', 'v'] as const) {
      const shrink = plane === 'y' ? 1 : 2;
      const [fromStride, toStride] =
        plane === 'y' ? [source.yStride, target.yStride] : [source.uvStride, target.uvStride];
      const [x, y, width, height] = [rect.x / shrink, rect.y / shrink, rect.width / shrink, rect.height / shrink];
      const toOffset = y * toStride + x;
      const fromOffset = y * fromStride + x;
      if (from) {
        this.kernel.run.copyPlane(to[plane] + toOffset, toStride, from[plane] + fromOffset, fromStride, width, height);
        continue;
      }
      if (width === toStride && width === fromStride) {
        target[plane].set(source[plane].subarray(fromOffset, fromOffset + width * height), toOffset);
        continue;
      }
      for (let row = 0; row < height; row++) {
        const at = fromOffset + row * fromStride;
        target[plane].set(source[plane].subarray(at, at + width), toOffset + row * toStride);
      }
    }
  }

  place(pack: PresenterPack, placement: PresenterPlacement, frame: { width: number; height: number }): PlacedPresenter {
    this.checkOpen();
    const loaded = asLoaded(pack);
    const layout = layOut(loaded.manifest, placement, frame);
    const shared = this.acquire(loaded, layout.scale);
    const placed = new Placement({
      kernel: this.kernel,
      frames: this.frames,
      pack: loaded,
      textures: shared.textures,
      face: shared.face,
      arms: shared.arms,
      layout,
      frame,
      onClose: () => {
        this.open.delete(placed);
        this.release(loaded, layout.scale);
      },
    });
    this.open.add(placed);
    return placed;
  }

  createSprite(picture: YuvaFrame): Sprite {
    this.checkOpen();
    const sprite = new FlatSprite({
      kernel: this.kernel,
      frames: this.frames,
      picture,
      onClose: () => this.open.delete(sprite),
    });
    this.open.add(sprite);
    return sprite;
  }

  get memoryBytes(): number {
    return this.kernel.arena.memoryBytes;
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const part of [...this.open]) part.close();
    this.frames.free();
  }

  private acquire(pack: LoadedPack, scale: number): SharedTextures {
    const scales = this.shared.get(pack) ?? new Map<number, SharedTextures>();
    this.shared.set(pack, scales);
    let shared = scales.get(scale);
    if (!shared) {
      const textures = uploadPack(this.kernel, pack, scale);
      const arms = pack.arms && new ArmsPlate(this.kernel, pack.arms, textures);
      shared = { textures, face: new FacePlate(this.kernel, pack, textures), arms, users: 0 };
      scales.set(scale, shared);
    }
    shared.users++;
    return shared;
  }

  private release(pack: LoadedPack, scale: number): void {
    const scales = this.shared.get(pack);
    const shared = scales?.get(scale);
    if (!scales || !shared || --shared.users > 0) return;
    shared.face.free();
    shared.arms?.free();
    shared.textures.free();
    scales.delete(scale);
    if (scales.size === 0) this.shared.delete(pack);
  }

  private checkOpen(): void {
    if (!this.isOpen) throw new Error('expected an open compositor, it has been closed');
  }
}

/** Lower edge of the resting face in px of the frame. */
export function chinOf(
  pack: PresenterPack,
  placement: PresenterPlacement,
  frame: { width: number; height: number },
): number {
  const { manifest } = asLoaded(pack);
  const { originY, scale } = layOut(manifest, placement, frame);
  return originY + manifest.head.chinY * scale;
}
