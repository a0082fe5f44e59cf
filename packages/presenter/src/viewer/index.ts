/** Draws a live presenter in the page that watches it; bundled to `/embed/presenter.js`. */
import type { FaceMessage } from '@figurehead/contract';
import { rgbaToYuv } from '../colour.js';
import type { Compositor, PlacedPresenter } from '../contract.js';
import { createCompositor } from '../drawing/compositor.js';
import { livePlacement } from '../drawing/crop.js';
import { openKernel } from '../drawing/kernel.js';
import { createLiveFace, type LiveFace, type OwnMotion, type Pose } from '../face/index.js';
import { readStretch } from '../face/messages.js';
import { allocateYuv, wholeOf, type YuvFrame } from '../frame.js';
import { readArchive } from '../pack/archive.js';
import { decodePack } from '../pack/pack.js';
import { decodeByBrowser } from './pictures.js';
import { openScreen } from './screen.js';
import { type PlayedPacket, SoundClock } from './sound-clock.js';

/** Time between two readings of the sound, which cost a change of threads. */
const READ_MS = 250;
/** A viewer whose pictures take this long in the mean of so many is too slow: fewer than 15 a second. */
const SLOW = { meanMs: 1000 / 15, pictures: 30 } as const;
/** Latency of the sound's output where the browser does not say it, ms. */
const OUTPUT_MS = 30;

/** What is drawn, and where. */
export interface ViewerOptions {
  readonly canvas: HTMLCanvasElement;
  /** Addresses of the pack's archive and of the kernel. */
  readonly pack: string;
  readonly kernel: string;
  /** Sides of the picture, px; even. */
  readonly width: number;
  readonly height: number;
  /** `#rgb`, `#rrggbb` or `transparent`. */
  readonly background: string;
  /** Also draws where WebGL is emulated. */
  readonly evenIfSlow?: boolean;
  /** Pictures take too long here. Called once. */
  readonly onSlow: () => void;
}

/** The sound's receiver. */
export interface SoundReceiver {
  getSynchronizationSources(): readonly PlayedPacket[];
}

/** A presenter in the page. The caller closes it. */
export interface Viewer {
  /** Takes a message of the data channel. @param sound the receiver of sound of its connection. */
  receive(message: FaceMessage, sound: SoundReceiver | undefined): void;
  close(): void;
}

/**
 * Loads a presenter and draws it on a canvas, in step with the sound that plays.
 * @throws Error when a file does not come or there is no WebGL, PackError for a pack that cannot be read.
 */
export async function openViewer(options: ViewerOptions): Promise<Viewer> {
  const { canvas, onSlow } = options;
  const [picture, screen] = await Promise.all([openPicture(options), openScreen(canvas, options.evenIfSlow !== true)]);
  if (screen === undefined) {
    picture.close();
    throw new Error('This browser has no WebGL that is fast enough to draw a presenter.');
  }
  const clock = new SoundClock();
  const early: FaceMessage[] = [];
  let face: LiveFace | undefined;
  let receiver: SoundReceiver | undefined;
  let readMs = 0;
  const drawn = { pictures: 0, ms: 0, isSlow: false };

  const draw = (): void => {
    handle = requestAnimationFrame(draw);
    if (face === undefined) return;
    const startMs = performance.now();
    const nowMs = performance.timeOrigin + startMs;
    const [played] = startMs - readMs > READ_MS ? (receiver?.getSynchronizationSources() ?? []) : [];
    if (played !== undefined) {
      clock.read(played);
      readMs = startMs;
    }
    const { frame, overWhite } = picture.draw(face.poseAt(Math.max(0, clock.sampleAt(nowMs - OUTPUT_MS))));
    screen.show(frame, overWhite);
    drawn.pictures += 1;
    drawn.ms += performance.now() - startMs;
    if (drawn.pictures < SLOW.pictures) return;
    if (drawn.ms / drawn.pictures > SLOW.meanMs && !drawn.isSlow) {
      drawn.isSlow = true;
      onSlow();
    }
    Object.assign(drawn, { pictures: 0, ms: 0 });
  };
  let handle = requestAnimationFrame(draw);

  const receive = (message: FaceMessage, sound: SoundReceiver | undefined): void => {
    if (message.type === 'face.begin') {
      receiver = sound;
      clock.begin(message.timestamp, message.sample, performance.timeOrigin + performance.now());
      readMs = 0;
      face ??= createLiveFace(message.seed, message.expression, message.motion as OwnMotion | undefined);
      for (const one of early.splice(0)) receive(one, sound);
    } else if (face === undefined) early.push(message);
    else if (message.type === 'face.stretch') face.addStretch(readStretch(message));
    else if (message.type === 'face.cut') face.cutAt(message.sample);
    else if (message.type === 'face.state') face.setState(message.state, message.sample);
  };
  return {
    receive,
    close: () => {
      cancelAnimationFrame(handle);
      screen.close();
      picture.close();
    },
  };
}

/** A placed presenter over its background, or over black and over white. */
interface Picture {
  draw(pose: Pose): { readonly frame: YuvFrame; readonly overWhite?: YuvFrame };
  close(): void;
}

/** Loads a pack from its archive and places it. Exported for tests. @throws as {@link openViewer}. */
export async function openPicture(
  options: Pick<ViewerOptions, 'pack' | 'kernel' | 'width' | 'height' | 'background'>,
): Promise<Picture> {
  const { width, height, background } = options;
  const [code, archive] = await Promise.all([load(options.kernel), load(options.pack)]);
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

async function load(url: string): Promise<ArrayBuffer> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: expected a file, got status ${answer.status}.`);
  const isZipped = url.split('?')[0]!.endsWith('.gz');
  const body = isZipped ? answer.body!.pipeThrough(new DecompressionStream('gzip')) : answer.body;
  return new Response(body).arrayBuffer();
}
