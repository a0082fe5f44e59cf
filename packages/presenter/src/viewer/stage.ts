import { rgbaToYuv } from '../colour.js';
import type { Compositor, PlacedPresenter } from '../contract.js';
import { createCompositor } from '../drawing/compositor.js';
import { livePlacement } from '../drawing/crop.js';
import { openKernel } from '../drawing/kernel.js';
import type { OwnMotion, Pose } from '../face/index.js';
import { allocateYuv, wholeOf, type YuvFrame } from '../frame.js';
import { readArchive } from '../pack/archive.js';
import { decodePack } from '../pack/pack.js';
import { decodeByBrowser } from './pictures.js';
import { openScreen } from './screen.js';

/** A viewer whose pictures take this long in the mean of so many is too slow: fewer than 15 a second. */
const SLOW = { meanMs: 1000 / 15, pictures: 30 } as const;
/** Time between two pictures where the processor shows them too, a little less than two of a display's. */
const EMULATED_MS = 30;

/** The first two bytes of a file that is compressed. */
const GZIP = 0x1f8b;

/** What is drawn, and where. */
export interface StageOptions {
  readonly canvas: HTMLCanvasElement;
  /** Addresses of the pack's archive and of the kernel. */
  readonly pack: string;
  readonly kernel: string;
  /** Sides of the picture, px; even. */
  readonly width: number;
  readonly height: number;
  /** `#rgb`, `#rrggbb` or `transparent`. */
  readonly background: string;
  /** Also draws where no graphics card does WebGL. */
  readonly evenIfSlow?: boolean;
  /** Pictures take too long here. Called once. */
  readonly onSlow?: () => void;
}

/** A presenter on its canvas. The caller closes it. */
export interface Stage {
  /** The presenter's own movements. */
  readonly motion: OwnMotion | undefined;
  close(): void;
}

/**
 * Loads a presenter and draws it on a canvas, as often as the display shows pictures.
 * @param poseAt its pose at a time of `performance.now()`; undefined draws nothing.
 * @throws Error when a file does not come or there is no fast WebGL, PackError for a pack that cannot be read.
 */
export async function openStage(options: StageOptions, poseAt: (nowMs: number) => Pose | undefined): Promise<Stage> {
  const { canvas, evenIfSlow = false, onSlow } = options;
  const [picture, screen] = await Promise.all([openPicture(options), openScreen(canvas, evenIfSlow)]);
  if (screen === undefined) {
    picture.close();
    throw new Error('This browser has no WebGL that is fast enough to draw a presenter.');
  }
  const drawn = { pictures: 0, ms: 0, lastMs: 0, isSlow: false };
  const draw = (): void => {
    handle = requestAnimationFrame(draw);
    const startMs = performance.now();
    if (screen.isEmulated && startMs - drawn.lastMs < EMULATED_MS) return;
    const pose = poseAt(startMs);
    if (pose === undefined) return;
    const { frame, overWhite } = picture.draw(pose);
    screen.show(frame, overWhite);
    drawn.lastMs = startMs;
    drawn.pictures += 1;
    drawn.ms += performance.now() - startMs;
    if (drawn.pictures < SLOW.pictures) return;
    if (drawn.ms / drawn.pictures > SLOW.meanMs && !drawn.isSlow) {
      drawn.isSlow = true;
      onSlow?.();
    }
    Object.assign(drawn, { pictures: 0, ms: 0 });
  };
  let handle = requestAnimationFrame(draw);
  return {
    motion: picture.motion,
    close: () => {
      cancelAnimationFrame(handle);
      screen.close();
      picture.close();
    },
  };
}

/** A placed presenter over its background, or over black and over white. */
interface Picture {
  readonly motion: OwnMotion | undefined;
  draw(pose: Pose): { readonly frame: YuvFrame; readonly overWhite?: YuvFrame };
  close(): void;
}

/** Loads a pack from its archive and places it. Exported for tests. @throws as {@link openViewer}. */
export async function openPicture(
  options: Pick<StageOptions, 'pack' | 'kernel' | 'width' | 'height' | 'background'>,
): Promise<Picture> {
  const { width, height, background } = options;
  const [code, archive] = await Promise.all([loadFile(options.kernel), loadFile(options.pack)]);
  const kernel = await openKernel(new Uint8Array(code));
  const { files, look } = readArchive(new Uint8Array(archive), options.pack);
  const pack = await decodePack(files, look, { decode: decodeByBrowser, kernel: async () => kernel });
  const compositor = createCompositor(kernel);
  const size = { width, height };
  const placed = compositor.place(pack, livePlacement(size), size);
  const isTransparent = background === 'transparent';
  const grounds = isTransparent ? ['#000', '#fff'] : [background];
  const [main, white] = grounds.map((colour) => openGround({ compositor, placed, size }, colour));
  return {
    motion: pack.motion,
    draw: (pose) => ({ frame: main!(pose), ...(white && { overWhite: white(pose) }) }),
    close: () => compositor.close(),
  };
}

interface Place {
  readonly compositor: Compositor;
  readonly placed: PlacedPresenter;
  readonly size: { readonly width: number; readonly height: number };
}

/** Draws poses over one colour. */
function openGround({ compositor, placed, size }: Place, colour: string): (pose: Pose) => YuvFrame {
  const plain = allocateYuv(size.width, size.height);
  const dot = rgbaToYuv({
    width: 2,
    height: 2,
    data: new Uint8Array(Array<number[]>(4).fill(levelsOf(colour)).flat()),
  });
  for (const plane of ['y', 'u', 'v'] as const) plain[plane].fill(dot[plane][0]!);
  const frame = compositor.createFrame(size.width, size.height);
  compositor.restore(plain, frame, wholeOf(plain));
  return (pose) => {
    compositor.restore(plain, frame, placed.bounds);
    placed.draw(pose, frame);
    return frame;
  };
}

/** Red, green, blue and opacity of `#rgb` or `#rrggbb`. */
function levelsOf(colour: string): number[] {
  const digits = colour.slice(1);
  const whole = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  return [0, 2, 4].map((at) => Number.parseInt(whole.slice(at, at + 2), 16)).concat(255);
}

/** A file, unpacked if it is compressed. @throws Error with its address when it does not come. */
export async function loadFile(url: string): Promise<ArrayBuffer> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: expected a file, got status ${answer.status}.`);
  const bytes = await answer.arrayBuffer();
  // Some servers say that an archive is compressed, and browsers then unpack it.
  if (new DataView(bytes).getUint16(0) !== GZIP) return bytes;
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}
