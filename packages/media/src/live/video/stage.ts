import { createCanvas } from '@napi-rs/canvas';
import { rgbaToYuv } from '../../colour.js';
import type { Pose } from '../../face/contract.js';
import type { Rect, YuvFrame } from '../../frame.js';
import type {
  Compositor,
  FaceRedrawing,
  PlacedPresenter,
  PresenterPack,
  PresenterPlacement,
} from '../../presenter/contract.js';

/** What a stage shows. */
export interface StageSettings {
  readonly pack: PresenterPack;
  readonly width: number;
  readonly height: number;
  /** CSS colour. */
  readonly background: string;
}

/** A presenter before a background, at one size. The same stage serves every session that looks the same. */
export interface Stage {
  readonly width: number;
  readonly height: number;
  /** Present for presenters whose poses take time to compute: do it before `draw`, which else shows them at rest. */
  readonly prepare?: (pose: Pose) => Promise<void>;
  /** Present for presenters whose mouth and eyes can be drawn without the rest. */
  readonly face?: FaceRedrawing;
  /**
   * Draws the pose. The frame is the stage's own: use it before the next draw. With `part`, which `face` told, only the pixels there are
   * of the pose: the others are of whatever was drawn before, for another session perhaps.
   */
  draw(pose: Pose, part?: Rect): YuvFrame;
  /** Gives the stage back. Idempotent. */
  release(): void;
}

interface SharedStage {
  readonly placed: PlacedPresenter;
  readonly background: YuvFrame;
  readonly frame: YuvFrame;
  users: number;
}

/** The stages of one thread. Textures and frames are shared: a session has nothing of its own but its pose. */
export class StageStore {
  private readonly stages = new Map<string, SharedStage>();
  private readonly packs = new WeakMap<PresenterPack, number>();
  private packCount = 0;
  /** Frames of the compositor live as long as it does: those of closed stages are used again. */
  private readonly spare: YuvFrame[] = [];

  constructor(private readonly compositor: Compositor) {}

  /** Names what looks the same; two packs of one name are told apart. */
  keyOf({ pack, width, height, background }: StageSettings): string {
    let number = this.packs.get(pack);
    if (number === undefined) {
      number = this.packCount++;
      this.packs.set(pack, number);
    }
    return `${number} ${width}x${height} ${background}`;
  }

  /** A stage for these settings, made when there is none. */
  acquire(settings: StageSettings): Stage {
    const key = this.keyOf(settings);
    const shared = this.stages.get(key) ?? this.open(key, settings);
    shared.users++;
    let held = true;
    const { width, height } = settings;
    const { placed } = shared;
    return {
      width,
      height,
      ...(placed.prepare ? { prepare: (pose: Pose) => placed.prepare!(pose) } : {}),
      ...(placed.face ? { face: placed.face } : {}),
      draw: (pose, part = placed.bounds) => {
        this.compositor.restore(shared.background, shared.frame, part);
        placed.draw(pose, shared.frame, part);
        return shared.frame;
      },
      release: () => {
        if (!held) return;
        held = false;
        if (--shared.users > 0) return;
        shared.placed.close();
        this.spare.push(shared.background, shared.frame);
        this.stages.delete(key);
      },
    };
  }

  private open(key: string, settings: StageSettings): SharedStage {
    const { pack, width, height } = settings;
    const plain = plainFrame(settings);
    const [background, frame] = [this.frame(width, height), this.frame(width, height)];
    const whole = { x: 0, y: 0, width, height };
    this.compositor.restore(plain, background, whole);
    this.compositor.restore(plain, frame, whole);
    const placed = this.compositor.place(pack, placementFor(settings), { width, height });
    const shared = { placed, background, frame, users: 0 };
    this.stages.set(key, shared);
    return shared;
  }

  private frame(width: number, height: number): YuvFrame {
    const at = this.spare.findIndex((frame) => frame.width === width && frame.height === height);
    const [found] = at < 0 ? [] : this.spare.splice(at, 1);
    return found ?? this.compositor.createFrame(width, height);
  }
}

/** How far head and shoulders may reach over the sides of an upright picture, in widths. */
const UPRIGHT = 1.45;

/** A wide picture shows the whole plate, whose sides are not cut; others head and shoulders, as large as the head fits. */
function placementFor({ width, height }: StageSettings): PresenterPlacement {
  if (width > height * 1.1) return { x: 0, y: 0, width, height, crop: 'full' };
  const side = Math.round(Math.min(height, width * UPRIGHT) / 2) * 2;
  return { x: (width - side) / 2, y: height - side, width: side, height: side, crop: 'bust' };
}

/** A frame of one colour. What the canvas does not take as a colour is black, as the canvas itself has it. */
function plainFrame({ width, height, background }: StageSettings): YuvFrame {
  const context = createCanvas(2, 2).getContext('2d');
  context.fillStyle = '#000';
  context.fillRect(0, 0, 2, 2);
  context.fillStyle = background;
  context.fillRect(0, 0, 2, 2);
  const { data } = context.getImageData(0, 0, 2, 2);
  const dot = rgbaToYuv({ width: 2, height: 2, data });
  const chroma = (width * height) / 4;
  return {
    width,
    height,
    y: new Uint8Array(width * height).fill(dot.y[0]!),
    u: new Uint8Array(chroma).fill(dot.u[0]!),
    v: new Uint8Array(chroma).fill(dot.v[0]!),
    yStride: width,
    uvStride: width / 2,
  };
}
