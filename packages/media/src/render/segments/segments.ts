import type { PresenterPack } from '@figurehead/presenter';
import { orAborted } from '../../abort.js';
import type { EncodedSegment, VideoSettings } from '../../encode/contract.js';
import type { SoundStore } from '../../encode/sound/sound-pieces.js';
import { loadPack } from '../../presenter/index.js';
import type { Shot } from '../../scene/contract.js';
import { createCollection } from '../collection.js';
import { availableCpus } from '../cpus.js';
import { goodFrame } from '../drawing/moment.js';
import { planKey, planSegments, type SegmentPlan, type ShotPlan, segmentKey } from '../plan.js';
import { DrawingThreads, type PoolShot, type ThreadCache } from './drawing-threads.js';

/** Cache of encoded segments by key. Safe for concurrent calls; a failing cache must only miss. */
export interface SegmentCache {
  get(key: string): Promise<EncodedSegment | undefined>;
  put(key: string, segment: EncodedSegment): Promise<void>;
  /** Whether it is stored on this machine; does not read it. */
  holds?(key: string): Promise<boolean>;
  /** Cache of shot plans; without it every shot is drawn to compute its plan. */
  readonly plans?: {
    get(key: string): Promise<ShotPlan | undefined>;
    put(key: string, plan: ShotPlan): Promise<void>;
  };
  /** Encoded pieces of soundtracks; without it sound is encoded each time. */
  readonly sounds?: SoundStore;
}

/** A shot that is drawn only if a part of it is not in the cache. */
export interface LazyShot extends Pick<Shot, 'key' | 'format' | 'startFrame' | 'frames'> {
  /** Called at most once. */
  draw(): Promise<Shot>;
}

/** Shots in order, drawn or not. */
export type ShotSource = Iterable<Shot | LazyShot> | AsyncIterable<Shot | LazyShot>;

export interface SegmentOptions {
  readonly settings: VideoSettings;
  /** Drawing-and-encoding threads; the processors that this process may use when absent. */
  readonly threads?: number | undefined;
  /** Aborting stops all threads within a second; the iterator then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called with the number of finished frames, including those of unfinished segments; never decreases. */
  readonly onProgress?: ((frames: number) => void) | undefined;
  readonly cache?: SegmentCache | undefined;
  /** Reads a presenter pack; a process that renders often should cache packs (0.3 s and 35 MB each). When absent, each render reads them once. */
  readonly loadPack?: ((folder: string) => Promise<PresenterPack>) | undefined;
  /** Provides reusable drawing threads, for a process that renders often. */
  readonly threadCache?: ThreadCache | undefined;
}

/**
 * Bytes of cached segments that are read ahead of the consumer: enough to find the one changed slide among a hundred, and to draw it while the
 * sound of earlier slides is still being encoded.
 */
const AHEAD_BYTES = 16_000_000;

/** New segments in progress per thread: enough that every thread can work on a separate shot. */
const AHEAD_SEGMENTS = 3;

/** Interval of progress reports, ms: a segment takes seconds, and a progress bar should move meanwhile. */
const PROGRESS_MS = 250;

/**
 * Number of frames to draw and encode, as far as known without drawing: all frames of a shot without a cached plan, and of other shots the
 * segments that are not in `cache`. Without a cache all.
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

/** A finished segment and its position. */
export interface RenderedSegment extends EncodedSegment {
  /** First frame in the video. */
  readonly startFrame: number;
  readonly shotKey: string;
  /** Cache key. */
  readonly key: string;
  /** Came from the cache. */
  readonly reused: boolean;
  /** The most representative frame of its shot, counted from the shot's first. */
  readonly goodFrame: number;
}

/**
 * Draws and encodes shots in parallel segments and yields them in order. Back-pressure: the number of unconsumed new segments per thread and
 * the bytes of unconsumed cached ones are limited, so memory does not depend on the length of the video. Ending the iteration early stops the
 * threads. Throws `RenderError`, `PackError` or the signal's reason.
 */
export async function* renderSegments(shots: ShotSource, options: SegmentOptions): AsyncGenerator<RenderedSegment> {
  const { settings, signal, cache, threadCache, onProgress } = options;
  signal?.throwIfAborted();
  const wanted = { settings, threads: Math.max(1, options.threads ?? availableCpus()) };
  const threads = threadCache?.take(wanted) ?? new DrawingThreads(wanted);
  const pending: Pending[] = [];
  const onShotFinished = createCollection();
  let reusedFrames = 0;
  const report = (): void => onProgress?.(threads.drawnFrames + reusedFrames);
  const reporting = setInterval(report, PROGRESS_MS);
  const take = async (): Promise<RenderedSegment> => {
    const segment = await orAborted(pending.shift()!.segment, signal);
    report();
    return segment;
  };
  try {
    const tools = { threads, cache, settings, load: options.loadPack ?? loadPack };
    for await (const work of segmentsOf(shots, tools)) {
      const kept = await orAborted(cachedSegment(work, tools), signal);
      if (kept) reusedFrames += kept.frames;
      const segment = kept ? Promise.resolve(kept) : newSegment(work, tools);
      // Avoids an unhandled rejection: the failure is thrown in order, when the segment is consumed.
      segment.catch(() => undefined);
      pending.push({ segment, cachedBytes: kept && bytesOf(kept) });
      if (work.last) {
        void Promise.allSettled(pending.map((entry) => entry.segment)).then(() => {
          // If it could not be drawn, its segment has already thrown.
          if (work.isDrawn())
            work.drawn().then(
              ({ shot }) => onShotFinished(shot),
              () => undefined,
            );
        });
      }
      while (isFull(pending, AHEAD_SEGMENTS * wanted.threads)) yield await take();
    }
    while (pending.length > 0) yield await take();
  } finally {
    clearInterval(reporting);
    await (threadCache?.release(threads) ?? threads.end());
  }
}

/** A segment before it is consumed. */
interface Pending {
  readonly segment: Promise<RenderedSegment>;
  /** Its size when it came from the cache. */
  readonly cachedBytes: number | undefined;
}

function isFull(pending: readonly Pending[], mostNew: number): boolean {
  const kept = pending.flatMap(({ cachedBytes }) => cachedBytes ?? []);
  return pending.length - kept.length >= mostNew || kept.reduce((sum, bytes) => sum + bytes, 0) >= AHEAD_BYTES;
}

/** Memory of a segment: its packets are views into one file. */
function bytesOf({ packets }: RenderedSegment): number {
  const buffers = new Set(packets.map(({ data }) => data.buffer));
  return [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

interface Work {
  readonly source: Shot | LazyShot;
  readonly plan: SegmentPlan;
  readonly goodFrame: number;
  /** The last segment of its shot. */
  readonly last: boolean;
  /** Draws the shot on the first call. */
  readonly drawn: () => Promise<PoolShot>;
  readonly isDrawn: () => boolean;
}

interface Tools {
  readonly threads: DrawingThreads;
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
    const entry = { source, ...drawnOnce(id, source, { ...tools, packs }) };
    id++;
    const key = planKey(source, gopFrames);
    let plan = 'draw' in source ? await plans?.get(key) : undefined;
    if (plan === undefined) {
      const { shot, packs: loaded } = await entry.drawn();
      plan = { segments: planSegments(shot, gopFrames), goodFrame: goodFrame(shot, loaded) };
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

async function cachedSegment(work: Work, { cache, settings }: Tools): Promise<RenderedSegment | undefined> {
  const place = placeOf(work, settings);
  const kept = await cache?.get(place.key);
  return kept && { ...kept, ...place, reused: true };
}

async function newSegment(work: Work, { threads, cache, settings }: Tools): Promise<RenderedSegment> {
  const place = placeOf(work, settings);
  const segment = await threads.draw(await work.drawn(), work.plan);
  await cache?.put(place.key, segment);
  return { ...segment, ...place, reused: false };
}

/** Packs are read once per render; their pixels are in shared memory, so that sending them to threads does not copy them. */
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
