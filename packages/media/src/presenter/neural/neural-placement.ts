import { rgbaToYuva } from '../../colour.js';
import type { Pose } from '../../face/contract.js';
import type { Rect, YuvaFrame, YuvFrame } from '../../frame.js';
import type { PlacedPresenter, PresenterPlacement, Sprite } from '../contract.js';
import { checkPlacement, checkTarget, evenInside } from '../crop.js';
import { featuresOf } from './features.js';
import type { NeuralModel } from './model.js';
import type { NeuralPack } from './neural-pack.js';

interface NeuralParts {
  readonly pack: NeuralPack;
  readonly model: NeuralModel;
  readonly placement: PresenterPlacement;
  readonly frame: { readonly width: number; readonly height: number };
  readonly createSprite: (picture: YuvaFrame) => Sprite;
  /** Called once, on the first `close`. */
  readonly onClose: () => void;
}

/**
 * Draws the frames of a model at one place (contract: {@link PlacedPresenter}). Every crop shows the whole frame: a
 * model's output is already framed.
 */
export class NeuralPlacement implements PlacedPresenter {
  readonly bounds: Rect;
  private readonly at: { readonly x: number; readonly y: number; readonly scale: number };
  /**
   * Pictures by the pose they were computed for, so that a session never shows a pose of another. They are released
   * with the pose.
   */
  private readonly ready = new WeakMap<Pose, YuvaFrame>();
  private isOpen = true;

  constructor(private readonly parts: NeuralParts) {
    const { pack, placement, frame } = parts;
    checkPlacement(placement);
    const scale = Math.min(placement.width / pack.width, placement.height / pack.height);
    const [width, height] = [pack.width * scale, pack.height * scale];
    const x = placement.x + (placement.width - width) / 2;
    const y = placement.y + placement.height - height;
    this.at = { x, y, scale };
    // Bilinear samples reach a px over the edge.
    this.bounds = evenInside({ x: x - 1, y: y - 1, width: width + 2, height: height + 2 }, frame);
  }

  async prepare(pose: Pose): Promise<void> {
    if (this.ready.has(pose)) return;
    const { model, pack } = this.parts;
    const data = await model.frame(featuresOf(pose));
    this.ready.set(pose, rgbaToYuva({ width: pack.width, height: pack.height, data }));
  }

  draw(pose: Pose, target: YuvFrame): void {
    const { frame } = this.parts;
    if (!this.isOpen) throw new Error('expected an open presenter, it has been closed');
    checkTarget(target, frame);
    const sprite = this.parts.createSprite(this.ready.get(pose) ?? this.parts.pack.portrait);
    try {
      sprite.draw(target, { ...this.at, opacity: 1 });
    } finally {
      sprite.close();
    }
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.parts.onClose();
  }
}
