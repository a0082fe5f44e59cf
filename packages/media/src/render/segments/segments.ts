import { orAborted } from '../../abort.js';
import type { EncodedSegment, VideoSettings } from '../../encode/contract.js';
import type { SoundStore } from '../../encode/sound/sound-pieces.js';
import type { PresenterPack } from '../../presenter/contract.js';
import { loadPack } from '../../presenter/index.js';
import type { Shot } from '../../scene/contract.js';
import { createCollection } from '../collection.js';
import { availableCpus } from '../cpus.js';
import { goodFrame } from '../drawing/moment.js';
import { planKey, planSegments, type SegmentPlan, type ShotPlan, segmentKey } from '../plan.js';
import { DrawingPool, type PoolShot } from './drawing-pool.js';
import type { ThreadKeeper } from './drawing-threads.js';

/** Keeps encoded segments by key between renders. Safe for concurrent calls; a failing cache may only miss. */
export interface SegmentCache {
  get(key: string): Promise<EncodedSegment | undefined>;
  put(key: string, segment: EncodedSegment): Promise<void>;
  /** Whether it lies on this machine, without reading it. */
  holds?(key: string): Promise<boolean>;
  /** How shots were cut; without it every shot is drawn to know. */
  readonly plans?: {
    get(key: string): Promise<ShotPlan | undefined>;
    put(key: string, plan: ShotPlan): Promise<void>;
  };
  /** Encoded pieces of soundtracks; without it sound is encoded each time. */
  readonly sounds?: SoundStore;
}

/** A shot that is drawn when a part of it is not encoded yet. */
export interface LazyShot extends Pick<Shot, 'key' | 'format' | 'startFrame' | 'frames'> {
  /** Called once at most. */
  draw(): Promise<Shot>;
}

/** Shots in order, drawn already or to be drawn. */
export type ShotSource = Iterable<Shot | LazyShot> | AsyncIterable<Shot | LazyShot>;

/** How shots are rendered. */
export interface SegmentOptions {
  readonly settings: VideoSettings;
  /** Drawing-and-encoding threads; the processors that this process may use when absent. */
  readonly threads?: number;
  /** Aborting stops all threads within a second; the iterator then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called with the number of frames done so far, those of unfinished segments included; never falls. */
  readonly onProgress?: (frames: number) => void;
  readonly cache?: SegmentCache;
  /** Reads a presenter pack; a process that renders often keeps packs between renders (0.3 s and 35 MB each). Read once a render when absent. */
  readonly loadPack?: (folder: string) => Promise<PresenterPack>;
  /** Lends the drawing threads; a process that renders often keeps them between renders. */
  readonly threadKeeper?: ThreadKeeper;
}

/**
 * Bytes of kept segments that are read ahead of what was taken: as much as it takes to find the one slide that has changed among a hundred and
 * to draw it while the sound of those before it is still being encoded.
 */
const AHEAD_BYTES = 16_000_000;

/** New segments under way for each thread: enough that every thread finds some of a shot of its own. */
const AHEAD_SEGMENTS = 3;

/** How often progress is told, ms: a segment takes seconds, and a bar that stands still looks broken. */
const PROGRESS_MS = 250;

/**
 * Frames of these shots that have to be drawn and encoded, as far as can be told without drawing: all of a shot whose cut is unknown, and of the
 * others the segments that `cache` does not hold. Without a cache all.
 */
export async function framesToDraw(
  shots: Iterable<Pick<Shot, 'key' | 'frames'>>,
  { settings, cache }: Pick<SegmentOptions, 'settings' | 'cache'>,
): Promise<number> {
  let frames = 0;
  for (const shot of shots) {
    const plan = await cache?.plans?.get(planKey(shot, settings.gopFrames));
    if (plan === undefined) frames += shot.frames;
    for (const segment of plan?.segments ?? []) {
      if ((await cache?.holds?.(segmentKey(shot, segment, settings))) !== true) frames += segment.frames;
    }
  }
  return frames;
}

/** A finished segment and where it belongs. */
export interface RenderedSegment extends EncodedSegment {
  /** First frame in the video. */
  readonly startFrame: number;
  readonly shotKey: string;
  /** The name under which the cache keeps it. */
  readonly key: string;
  /** Came from the cache. */
  readonly reused: boolean;
  /** The frame of its shot that shows it at its best, counted from the shot's first. */
  readonly goodFrame: number;
}

/**
 * Draws and encodes shots in parallel segments and hands them out in order. At most `2 × threads` new segments are in work
 * or waiting to be taken, and 16 MB of kept ones: who takes slowly slows the drawing, and memory stays bounded however long the video is.
 * Leaving the iteration early stops the threads. Throws `RenderError`, `PackError` or the signal's reason.
 */
export async function* renderSegments(shots: ShotSource, options: SegmentOptions): AsyncGenerator<RenderedSegment> {
  const { settings, signal, cache, onProgress } = options;
  signal?.throwIfAborted();
  const threads = Math.max(1, options.threads ?? availableCpus());
  const pool = new DrawingPool({ settings, threads }, options.threadKeeper);
  const pending: Pending[] = [];
  const doneWith = createCollection();
  let reusedFrames = 0;
  const report = (): void => onProgress?.(pool.drawnFrames + reusedFrames);
  const reporting = setInterval(report, PROGRESS_MS);
  const take = async (): Promise<RenderedSegment> => {
    const segment = await orAborted(pending.shift()!.segment, signal);
    report();
    return segment;
  };
  try {
    const tools = { pool, cache, settings, load: options.loadPack ?? loadPack };
    for await (const work of segmentsOf(shots, tools)) {
      const kept = await orAborted(keptSegment(work, tools), signal);
      if (kept) reusedFrames += kept.frames;
      const segment = kept ? Promise.resolve(kept) : newSegment(work, tools);
      // Its failure is thrown where it is taken, in order; until then it must not count as unhandled.
      segment.catch(() => undefined);
      pending.push({ segment, keptBytes: kept && bytesOf(kept) });
      if (work.last) {
        void Promise.allSettled(pending.map((entry) => entry.segment)).then(() => {
          // One that could not be drawn has failed where its segment was taken.
          if (work.isDrawn())
            work.drawn().then(
              ({ shot }) => doneWith(shot),
              () => undefined,
            );
        });
      }
      while (isFull(pending, AHEAD_SEGMENTS * threads)) yield await take();
    }
    while (pending.length > 0) yield await take();
  } finally {
    clearInterval(reporting);
    await pool.close();
  }
}

/** A segment on its way to who takes them. */
interface Pending {
  readonly segment: Promise<RenderedSegment>;
  /** Its size when it came from the cache. */
  readonly keptBytes: number | undefined;
}

function isFull(pending: readonly Pending[], mostNew: number): boolean {
  const kept = pending.flatMap(({ keptBytes }) => keptBytes ?? []);
  return pending.length - kept.length >= mostNew || kept.reduce((sum, bytes) => sum + bytes, 0) >= AHEAD_BYTES;
}

/** What it holds in memory: its packets are views of one file. */
function bytesOf({ packets }: RenderedSegment): number {
  const buffers = new Set(packets.map(({ data }) => data.buffer));
  return [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

interface Work {
  readonly id: number;
  readonly source: Shot | LazyShot;
  readonly plan: SegmentPlan;
  readonly goodFrame: number;
  /** The last segment of its shot. */
  readonly last: boolean;
  /** Draws the shot, the first time that it is asked. */
  readonly drawn: () => Promise<PoolShot>;
  readonly isDrawn: () => boolean;
}

interface Tools {
  readonly pool: DrawingPool;
  readonly cache: SegmentCache | undefined;
  readonly settings: VideoSettings;
  readonly load: (folder: string) => Promise<PresenterPack>;
}

async function* segmentsOf(shots: ShotSource, tools: Tools): AsyncGenerator<Work> {
  const { gopFrames } = tools.settings;
  const plans = tools.cache?.plans;
  const packs = new Map<string, Promise<PresenterPack>>();
  let id = 0;
  for await (const source of shots) {
    const entry = { id, source, ...drawnOnce(id, source, { ...tools, packs }) };
    id++;
    const key = planKey(source, gopFrames);
    let plan = 'draw' in source ? await plans?.get(key) : undefined;
    if (plan === undefined) {
      const { shot } = await entry.drawn();
      plan = { segments: planSegments(shot, gopFrames), goodFrame: goodFrame(shot) };
      await plans?.put(key, plan);
    }
    const last = plan.segments.length - 1;
    for (const [index, segment] of plan.segments.entries()) {
      yield { ...entry, plan: segment, goodFrame: plan.goodFrame, last: index === last };
    }
  }
}

/** Draws a shot, checks it and loads its packs, once. */
function drawnOnce(
  id: number,
  source: Shot | LazyShot,
  { settings, load, packs }: Tools & { packs: Map<string, Promise<PresenterPack>> },
): Pick<Work, 'drawn' | 'isDrawn'> {
  let drawn: Promise<PoolShot> | undefined;
  const draw = async (): Promise<PoolShot> => {
    const shot = 'draw' in source ? await source.draw() : source;
    checkShot(shot, settings);
    return { id, shot, packs: await packsOf(shot, packs, load) };
  };
  return {
    drawn: () => {
      drawn ??= draw();
      return drawn;
    },
    isDrawn: () => drawn !== undefined,
  };
}

function placeOf(
  { source, plan, goodFrame: good }: Work,
  settings: VideoSettings,
): Omit<RenderedSegment, 'reused' | keyof EncodedSegment> {
  const key = segmentKey(source, plan, settings);
  return { startFrame: source.startFrame + plan.start, shotKey: source.key, key, goodFrame: good };
}

async function keptSegment(work: Work, { cache, settings }: Tools): Promise<RenderedSegment | undefined> {
  const place = placeOf(work, settings);
  const kept = await cache?.get(place.key);
  return kept && { ...kept, ...place, reused: true };
}

async function newSegment(work: Work, { pool, cache, settings }: Tools): Promise<RenderedSegment> {
  const place = placeOf(work, settings);
  const segment = await pool.run(await work.drawn(), work.plan);
  await cache?.put(place.key, segment);
  return { ...segment, ...place, reused: false };
}

/** Packs are read once a render; their pixels are in shared memory, so that sending them to threads copies nothing. */
async function packsOf(
  shot: Shot,
  loaded: Map<string, Promise<PresenterPack>>,
  load: (folder: string) => Promise<PresenterPack>,
): Promise<Map<string, PresenterPack>> {
  const packs = new Map<string, PresenterPack>();
  for (const layer of shot.layers) {
    if (layer.kind !== 'presenter') continue;
    const pack = loaded.get(layer.pack) ?? load(layer.pack);
    loaded.set(layer.pack, pack);
    packs.set(layer.pack, await pack);
  }
  return packs;
}

function checkShot(shot: Shot, settings: VideoSettings): void {
  const { width, height, fps } = shot.format;
  if (width !== settings.width || height !== settings.height || fps !== settings.fps) {
    throw new RangeError(
      `expected shots of ${settings.width}×${settings.height} at ${settings.fps}/s, got ${width}×${height} at ${fps}/s`,
    );
  }
  if (shot.base.width !== width || shot.base.height !== height) {
    throw new RangeError(`expected a base of ${width}×${height}, got ${shot.base.width}×${shot.base.height}`);
  }
  if (!Number.isInteger(shot.frames) || shot.frames < 1) {
    throw new RangeError(`expected a whole number of frames, at least 1, got ${shot.frames}`);
  }
}
