import type { YuvFrame } from '../frame.js';
import type { Planes } from '../pack/textures.js';
import type { DrawingKernel } from './kernel.js';

/** Read past the end of a plane by the kernel's vectors. */
const PAD = 16;

/** The frames in a kernel's memory. */
export class FrameStore {
  private readonly addresses = new Map<YuvFrame, Planes>();

  constructor(private readonly kernel: DrawingKernel) {}

  /** A black frame. @throws RangeError if a side is odd or not positive. */
  create(width: number, height: number): YuvFrame {
    if (width % 2 || height % 2 || width <= 0 || height <= 0) {
      throw new RangeError(`a YUV 4:2:0 frame needs even, positive sides, got ${width}×${height}`);
    }
    const { arena } = this.kernel;
    const luma = width * height;
    const y = arena.allocate(luma * 1.5 + 3 * PAD);
    const planes = { y, u: y + luma + PAD, v: y + luma * 1.25 + 2 * PAD };
    const frame: YuvFrame = {
      width,
      height,
      y: arena.bytes(planes.y, luma).fill(16),
      u: arena.bytes(planes.u, luma / 4).fill(128),
      v: arena.bytes(planes.v, luma / 4).fill(128),
      yStride: width,
      uvStride: width / 2,
    };
    this.addresses.set(frame, planes);
    return frame;
  }

  /** Addresses of a frame in the kernel's memory; undefined when it is stored elsewhere. */
  find(frame: YuvFrame): Planes | undefined {
    return this.addresses.get(frame);
  }

  /** @throws TypeError if the frame was not created here. */
  addressesOf(frame: YuvFrame): Planes {
    const planes = this.find(frame);
    if (!planes) throw new TypeError('expected a frame from createFrame of this compositor');
    return planes;
  }

  free(): void {
    for (const planes of this.addresses.values()) this.kernel.arena.free(planes.y);
    this.addresses.clear();
  }
}
