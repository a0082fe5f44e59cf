import type { EncodedSegment, SegmentCache } from '@figurehead/media';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../../tests/support/api.js';
import { shareSegments, trimSegments } from './shared-segments.js';

const SEGMENT: EncodedSegment = {
  frames: 1,
  extradata: Uint8Array.of(1, 2),
  packets: [{ data: Uint8Array.of(3, 4, 5), pts: 0, dts: -1, duration: 1, keyframe: true }],
};

/** A worker's own cache, in memory. */
function ownCache(kept = new Map<string, EncodedSegment>()): SegmentCache & { readonly kept: typeof kept } {
  return {
    kept,
    get: async (key) => kept.get(key),
    put: async (key, segment) => void kept.set(key, segment),
  };
}

let api: TestApi;
let caller: TestCaller;
beforeAll(async () => {
  api = await openTestApi({ FIGUREHEAD_CACHE_DAYS: '14' });
  caller = await api.caller();
});
afterAll(() => api.close());

const worker = (own = ownCache()) => shareSegments(api.test.kernel, own, caller.workspace._id);

it('segments of one worker are found by another, but not by another workspace', async () => {
  await worker().put('a', SEGMENT);
  const found = await worker().get('a');
  expect(found?.packets[0]).toEqual({ ...SEGMENT.packets[0], data: Buffer.from([3, 4, 5]) });
  expect(await worker().get('b')).toBeUndefined();
  const stranger = await api.caller();
  expect(await shareSegments(api.test.kernel, ownCache(), stranger.workspace._id).get('a')).toBeUndefined();
});

it('segments cached by a worker earlier are shared on use; a lost object is a miss', async () => {
  const { kernel } = api.test;
  const own = ownCache(new Map([['old', SEGMENT]]));
  expect(await worker(own).get('old')).toBe(SEGMENT);
  expect(await worker().get('old')).toBeDefined();
  await kernel.objects.delete(`${caller.workspace._id}/segments/old`);
  expect(await worker().get('old')).toBeUndefined();
});

it('segments that were unused for long are removed with their objects', async () => {
  const { kernel } = api.test;
  await worker().put('stale', SEGMENT);
  await worker().put('fresh', SEGMENT);
  await sql`update segments set used_at = now() - interval '15 days' where key = 'stale'`.execute(kernel.db);
  await trimSegments(kernel);
  expect([await worker().get('stale'), await kernel.objects.info(`${caller.workspace._id}/segments/stale`)]).toEqual([
    undefined,
    undefined,
  ]);
  expect(await worker().get('fresh')).toBeDefined();
});
