import type { EncodedSegment } from '../../encode/contract.js';
import { openFolderStore } from '../../folder-store.js';
import type { ShotPlan } from '../plan.js';
import { formatSegment, parseSegment } from './segment-format.js';
import type { SegmentCache } from './segments.js';

/**
 * LRU cache of encoded segments and pieces of sound as files in a folder with a maximum size. Several renders and processes may share it:
 * files are written atomically, and a missing or damaged one is a miss. Creates `folder`.
 */
export async function openSegmentCache(folder: string, options: { readonly maxBytes: number }): Promise<SegmentCache> {
  const store = await openFolderStore(folder, options);
  return {
    get: async (key) => unlessDamaged(await store.get(`${key}.segment`), parseSegment),
    put: (key, segment: EncodedSegment) => store.put(`${key}.segment`, formatSegment(segment)),
    holds: (key) => store.holds(`${key}.segment`),
    plans: {
      get: async (key) =>
        unlessDamaged(await store.get(`${key}.plan`), (bytes) => JSON.parse(String(bytes)) as ShotPlan),
      put: (key, plan) => store.put(`${key}.plan`, Buffer.from(JSON.stringify(plan))),
    },
    sounds: {
      get: (key) => store.get(`${key}.sound`),
      put: (key, bytes) => store.put(`${key}.sound`, bytes),
    },
  };
}

/** `undefined` for missing or unreadable bytes, so that they are computed again. */
export function unlessDamaged<T>(bytes: Buffer | undefined, parse: (bytes: Buffer) => T): T | undefined {
  try {
    return bytes && parse(bytes);
  } catch (error) {
    if (error instanceof RangeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
