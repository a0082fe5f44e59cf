import { workerData } from 'node:worker_threads';
import type { Compositor, PresenterPack } from '@figurehead/presenter';
import { createFaceTrack } from '@figurehead/presenter/face';
import type { YuvFrame } from '@figurehead/presenter/frame';
import { LRUCache } from 'lru-cache';
import { Transfer, worker } from 'workerpool';
import { encodeStill, openSegmentEncoder } from '../../encode/codecs/segment-encoder.js';
import type { EncodedPacket, EncodedSegment, VideoSettings } from '../../encode/contract.js';
// Imported directly: the package's index also loads the pack decoder, about 25 MB per thread.
import { createCompositor } from '../../presenter/index.js';
import type { Shot } from '../../scene/contract.js';
import { createCollection } from '../collection.js';
import { ShotDrawing } from '../drawing/drawing.js';
import { isCalm, type SegmentPlan } from '../plan.js';
import {
  DRAWN,
  type SegmentJob,
  type SegmentResult,
  STOP,
  STOPPED,
  type ThreadStart,
  type VersionedPack,
} from './segment-messages.js';

/** Packs in a thread's cache; their pixels are shared with the process. */
const MAX_PACKS = 4;

/** Draws and encodes segments of shots, one at a time. */
class DrawingThread {
  readonly #packs = new LRUCache<string, VersionedPack>({ max: MAX_PACKS });
  readonly #frames: { readonly target: YuvFrame; readonly ground: YuvFrame; readonly scratch: YuvFrame };
  #words: Int32Array = new Int32Array(2);
  #current: { readonly id: string; readonly shot: Shot; readonly drawing: ShotDrawing } | undefined;
  readonly #onShotFinished = createCollection();

  constructor(
    private readonly settings: VideoSettings,
    private readonly compositor: Compositor,
  ) {
    const frame = (): YuvFrame => compositor.createFrame(settings.width, settings.height);
    this.#frames = { target: frame(), ground: frame(), scratch: frame() };
  }

  async draw(job: SegmentJob): Promise<SegmentResult> {
    this.#words = new Int32Array(job.words);
    // Opening a shot takes long.
    this.#checkStop();
    const drawing = await this.#enter(job);
    const segment = await (job.plan.still ? this.#still(drawing, job.plan) : this.#moving(drawing, job.plan));
    return { segment, memoryBytes: this.compositor.memoryBytes };
  }

  /** Closes a shot with video files. Another shot stays open, because the next one probably shows the same presenter and can use its textures. */
  async rest(): Promise<void> {
    if (this.#current?.shot.layers.some((layer) => layer.kind === 'video')) await this.#leave();
  }

  async close(): Promise<void> {
    await this.#leave();
    this.compositor.close();
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
    const encoder = openSegmentEncoder({ ...this.settings, calm: isCalm(drawing.shot) });
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

  async #enter({ shotId, shot, packs }: SegmentJob): Promise<ShotDrawing> {
    if (this.#current?.id === shotId) return this.#current.drawing;
    // If both shots have a presenter in common, the last shot is closed only after this one is open, to keep the textures; otherwise before, to reuse its memory.
    const last = this.#current?.shot;
    if (last !== undefined && !sharePack(last, shot)) await this.#leave();
    const drawing = await ShotDrawing.open(shot, {
      compositor: this.compositor,
      ...this.#frames,
      alpha: this.settings.alpha === true,
      pack: (folder) => this.#packOf(packs, folder),
      createFaceTrack,
    });
    await this.#leave();
    this.#current = { id: shotId, shot, drawing };
    return drawing;
  }

  async #leave(): Promise<void> {
    const last = this.#current;
    this.#current = undefined;
    await last?.drawing.close();
    if (last) this.#onShotFinished(last.shot);
  }

  /** The same object for the same version: the compositor shares textures by identity. */
  #packOf(packs: ReadonlyMap<string, VersionedPack>, folder: string): PresenterPack {
    const sent = packs.get(folder);
    if (!sent) throw new Error(`expected the presenter pack ${folder} to be sent with its shot`);
    const known = this.#packs.get(folder);
    if (known?.version === sent.version) return known.pack;
    this.#packs.set(folder, sent);
    return sent.pack;
  }

  #checkStop(): void {
    if (Atomics.load(this.#words, STOP) === 1) throw Object.assign(new Error('drawing was stopped'), { code: STOPPED });
  }
}

function sharePack(a: Shot, b: Shot): boolean {
  const packsOf = ({ layers }: Shot) => layers.flatMap((layer) => (layer.kind === 'presenter' ? layer.pack : []));
  return packsOf(a).some((pack) => packsOf(b).includes(pack));
}

const { settings, loaded } = workerData as ThreadStart;
Atomics.store(loaded, 0, 1);
const thread = new DrawingThread(settings, await createCompositor());
let work: Promise<unknown> = Promise.resolve();
worker(
  {
    draw: (job: SegmentJob) => {
      const drawing = thread.draw(job).then((drawn) => {
        // A still's packets share the memory of its keyframe; every other packet has its own and is moved, not copied.
        const owned = new Set(drawn.segment.packets.map((packet) => packet.data.buffer));
        return new Transfer(drawn, [...owned]);
      });
      work = drawing.catch(() => undefined);
      return drawing;
    },
    rest: () => thread.rest(),
  },
  {
    onTerminate: async () => {
      await work;
      await thread.close();
    },
  },
);
