import type { EncodedSegment, VideoSettings } from '../encode/contract.js';
import type { PresenterPack } from '../presenter/contract.js';
import { loadPack } from '../presenter/index.js';
import type { Shot } from '../scene/contract.js';
import { availableCpus } from './cpus.js';
import { planSegments, type SegmentPlan, segmentKey } from './plan.js';
import { type PoolShot, ThreadPool } from './thread-pool.js';

/** Keeps encoded segments by key between renders. Safe for concurrent calls; a failing cache may only miss. */
export interface SegmentCache {
  get(key: string): Promise<EncodedSegment | undefined>;
  put(key: string, segment: EncodedSegment): Promise<void>;
}

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
}

/** How often progress is told, ms: a segment takes seconds, and a bar that stands still looks broken. */
const PROGRESS_MS = 250;

/** A finished segment and where it belongs. */
export interface RenderedSegment extends EncodedSegment {
  /** First frame in the video. */
  readonly startFrame: number;
  readonly shotKey: string;
  /** Came from the cache. */
  readonly reused: boolean;
}

/**
 * Draws and encodes shots in parallel segments and hands them out in order. At most `2 × threads` segments are in work
 * or waiting to be taken: who takes slowly slows the drawing, and memory stays bounded however long the video is.
 * Leaving the iteration early stops the threads. Throws `RenderError`, `PackError` or the signal's reason.
 */
export async function* renderSegments(
  shots: Iterable<Shot> | AsyncIterable<Shot>,
  options: SegmentOptions,
): AsyncGenerator<RenderedSegment> {
  const { settings, signal, cache, onProgress } = options;
  signal?.throwIfAborted();
  const threads = Math.max(1, options.threads ?? availableCpus());
  const pool = new ThreadPool(settings, threads);
  const stopped = abortOf(signal);
  const pending: Promise<RenderedSegment>[] = [];
  let reusedFrames = 0;
  const report = (): void => onProgress?.(pool.drawnFrames + reusedFrames);
  const reporting = setInterval(report, PROGRESS_MS);
  const take = async (): Promise<RenderedSegment> => {
    const segment = await Promise.race([pending.shift()!, stopped.promise]);
    report();
    return segment;
  };
  try {
    for await (const work of segmentsOf(shots, settings, options.loadPack ?? loadPack)) {
      const running = runSegment(work, { pool, cache, settings });
      // Its failure is thrown where it is taken, in order; until then it must not count as unhandled.
      running.then(
        (segment) => {
          if (segment.reused) reusedFrames += segment.frames;
        },
        () => undefined,
      );
      pending.push(running);
      if (work.last) void Promise.allSettled(pending).then(() => pool.forget(work.shot.id));
      if (pending.length >= 2 * threads) yield await take();
    }
    while (pending.length > 0) yield await take();
  } finally {
    clearInterval(reporting);
    stopped.release();
    await pool.close();
  }
}

interface Work {
  readonly shot: PoolShot;
  readonly plan: SegmentPlan;
  /** The last segment of its shot. */
  readonly last: boolean;
}

async function* segmentsOf(
  shots: Iterable<Shot> | AsyncIterable<Shot>,
  settings: VideoSettings,
  load: (folder: string) => Promise<PresenterPack>,
): AsyncGenerator<Work> {
  const packs = new Map<string, PresenterPack>();
  let id = 0;
  for await (const shot of shots) {
    checkShot(shot, settings);
    const entry = { id: id++, shot, packs: await packsOf(shot, packs, load) };
    const plans = planSegments(shot, settings.gopFrames);
    for (const [index, plan] of plans.entries()) yield { shot: entry, plan, last: index === plans.length - 1 };
  }
}

async function runSegment(
  work: Work,
  tools: { pool: ThreadPool; cache: SegmentCache | undefined; settings: VideoSettings },
): Promise<RenderedSegment> {
  const { shot } = work.shot;
  const key = segmentKey(shot, work.plan, tools.settings);
  const place = { startFrame: shot.startFrame + work.plan.start, shotKey: shot.key };
  const kept = await tools.cache?.get(key);
  if (kept) return { ...kept, ...place, reused: true };
  const segment = await tools.pool.run(work.shot, work.plan);
  await tools.cache?.put(key, segment);
  return { ...segment, ...place, reused: false };
}

/** Packs are read once a render; their pixels are in shared memory, so that sending them to threads copies nothing. */
async function packsOf(
  shot: Shot,
  loaded: Map<string, PresenterPack>,
  load: (folder: string) => Promise<PresenterPack>,
): Promise<Map<string, PresenterPack>> {
  const packs = new Map<string, PresenterPack>();
  for (const layer of shot.layers) {
    if (layer.kind !== 'presenter') continue;
    const pack = loaded.get(layer.pack) ?? (await load(layer.pack));
    loaded.set(layer.pack, pack);
    packs.set(layer.pack, pack);
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

/** A promise that only ever rejects, when the signal is raised; `release` takes the listener off. */
function abortOf(signal: AbortSignal | undefined): { promise: Promise<never>; release: () => void } {
  let onAbort: () => void = () => undefined;
  const promise = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  // Nobody may be waiting at the moment of the abort; the next one who takes a segment gets it.
  promise.catch(() => undefined);
  return { promise, release: () => signal?.removeEventListener('abort', onAbort) };
}
