import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { encodeStill, openSegmentEncoder } from '../../encode/codecs/segment-encoder.js';
import type { EncodedPacket, EncodedSegment, VideoSettings } from '../../encode/contract.js';
import { createFaceTrack } from '../../face/index.js';
import type { YuvFrame } from '../../frame.js';
// Not by the door: that also loads what decodes packs, some 25 MB a thread.
import { createCompositor } from '../../presenter/compositor.js';
import type { Compositor, PresenterPack } from '../../presenter/contract.js';
import type { Shot } from '../../scene/contract.js';
import { createCollection } from '../collection.js';
import { ShotDrawing } from '../drawing/drawing.js';
import type { SegmentPlan } from '../plan.js';
import { DRAWN, type FromThread, STOP, type ThreadStart, type ToThread } from './segment-messages.js';

/**
 * Largest memory of the kernel with which a thread waits for the next render, bytes: it never shrinks, and one video of large pictures must not
 * be paid for as long as the process lives.
 */
const MOST_AT_REST = 96_000_000;

/** Draws and encodes segments of shots, one after the other, until it is told to close. */
class DrawingThread {
  readonly #packs = new Map<string, PresenterPack>();
  readonly #shots = new Map<number, Shot>();
  #words: Int32Array = new Int32Array(2);
  readonly #frames: { readonly target: YuvFrame; readonly ground: YuvFrame; readonly scratch: YuvFrame };
  #current: { readonly id: number | undefined; readonly shot: Shot; readonly drawing: ShotDrawing } | undefined;
  #work = Promise.resolve();
  readonly #doneWith = createCollection();

  constructor(
    private readonly port: MessagePort,
    private readonly settings: VideoSettings,
    private readonly compositor: Compositor,
  ) {
    const frame = (): YuvFrame => compositor.createFrame(settings.width, settings.height);
    this.#frames = { target: frame(), ground: frame(), scratch: frame() };
    // Drawing waits for decoders now and then; messages that come meanwhile have to queue behind it.
    port.on('message', (message: ToThread) => {
      this.#work = this.#work.then(() => this.#handle(message));
    });
  }

  async #handle(message: ToThread): Promise<void> {
    switch (message.kind) {
      case 'begin':
        this.#words = new Int32Array(message.words);
        return;
      case 'pack':
        this.#packs.set(message.folder, message.pack);
        return;
      case 'shot':
        this.#shots.set(message.id, message.shot);
        return;
      case 'forget': {
        const shot = this.#shots.get(message.id);
        this.#shots.delete(message.id);
        if (shot) this.#doneWith(shot);
        return;
      }
      case 'segment':
        return this.#segment(message.job, message.shotId, message.plan);
      case 'rest':
        for (const folder of message.forget) this.#packs.delete(folder);
        return this.#rest();
      case 'close':
        return this.#close();
    }
  }

  async #rest(): Promise<void> {
    if (this.compositor.memoryBytes > MOST_AT_REST) return this.#close();
    for (const shot of this.#shots.values()) this.#doneWith(shot);
    this.#shots.clear();
    const shot = this.#current?.shot;
    // The next shot is likely to show the same presenter: its textures stay with the shot. Files of a render that is over do not.
    if (shot?.layers.some((layer) => layer.kind === 'video')) await this.#leave();
    else if (this.#current) this.#current = { ...this.#current, id: undefined };
    this.port.postMessage({ kind: 'resting' } satisfies FromThread);
  }

  async #close(): Promise<void> {
    await this.#leave();
    this.compositor.close();
    this.port.close();
  }

  async #segment(job: number, shotId: number, plan: SegmentPlan): Promise<void> {
    try {
      const drawing = await this.#enter(shotId);
      const segment = plan.still ? await this.#still(drawing, plan) : await this.#moving(drawing, plan);
      // A still's packets share the memory of its keyframe; every other packet has its own and is moved, not copied.
      const owned = new Set(segment.packets.map((packet) => packet.data.buffer as ArrayBuffer));
      this.port.postMessage({ kind: 'done', job, segment } satisfies FromThread, [...owned]);
    } catch (error) {
      const told = error instanceof Error ? error : new Error(String(error));
      this.port.postMessage({ kind: 'failed', job, error: told } satisfies FromThread);
    }
  }

  async #still(drawing: ShotDrawing, plan: SegmentPlan): Promise<EncodedSegment> {
    this.#checkStop();
    drawing.begin(plan.start, plan.frames);
    const segment = encodeStill(await drawing.draw(plan.start), plan.frames, this.settings);
    Atomics.add(this.#words, DRAWN, plan.frames);
    return segment;
  }

  async #moving(drawing: ShotDrawing, plan: SegmentPlan): Promise<EncodedSegment> {
    drawing.begin(plan.start, plan.frames);
    const encoder = openSegmentEncoder(this.settings);
    try {
      const packets: EncodedPacket[] = [];
      for (let index = 0; index < plan.frames; index++) {
        this.#checkStop();
        packets.push(...encoder.encode(await drawing.draw(plan.start + index)));
        Atomics.add(this.#words, DRAWN, 1);
      }
      packets.push(...encoder.finish());
      return { frames: plan.frames, extradata: encoder.extradata, packets };
    } finally {
      encoder.close();
    }
  }

  async #enter(shotId: number): Promise<ShotDrawing> {
    if (this.#current?.id === shotId) return this.#current.drawing;
    const shot = this.#shots.get(shotId);
    if (!shot) throw new Error(`expected shot ${shotId} to be sent before its segments`);
    // The last shot is closed after this one is open, so that a presenter in both keeps its textures.
    const drawing = await ShotDrawing.open(shot, {
      compositor: this.compositor,
      ...this.#frames,
      alpha: this.settings.alpha === true,
      pack: (folder) => packOf(this.#packs, folder),
      createFaceTrack,
    });
    await this.#leave();
    this.#current = { id: shotId, shot, drawing };
    return drawing;
  }

  async #leave(): Promise<void> {
    const drawing = this.#current?.drawing;
    this.#current = undefined;
    await drawing?.close();
  }

  #checkStop(): void {
    if (Atomics.load(this.#words, STOP) === 1) throw new Error('drawing was stopped');
  }
}

function packOf(packs: ReadonlyMap<string, PresenterPack>, folder: string): PresenterPack {
  const pack = packs.get(folder);
  if (!pack) throw new Error(`expected the presenter pack ${folder} to be sent with its shot`);
  return pack;
}

if (parentPort) {
  const start = workerData as ThreadStart;
  new DrawingThread(parentPort, start.settings, await createCompositor());
}
