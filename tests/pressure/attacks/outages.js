import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onePixel } from '../files.js';
import { openConnectedStream } from '../viewer.js';

const REPLACED_WITHIN_MS = 20_000;
const GIVE_UP_MS = 25_000;

const VIDEO = {
  name: 'Under way',
  slides: [{ id: 1, speech: 'Hello there.', avatar: { code: 'nora' }, voice: 'slt', voiceProvider: 'flite' }],
  data: { resolution: '720p' },
};

/** Milliseconds until `check` returns true; `undefined` after `limitMs`. */
async function timeUntil(check, limitMs) {
  const from = performance.now();
  while (performance.now() - from < limitMs) {
    if (await check()) return performance.now() - from;
    await sleep(100);
  }
  return undefined;
}

async function freeze(stage, role) {
  const pid = stage.pidOf(role);
  process.kill(pid, 'SIGSTOP');
  const isReplaced = () => {
    const now = stage.pidOf(role);
    return now !== undefined && now !== pid;
  };
  const replacedMs = await timeUntil(isReplaced, GIVE_UP_MS);
  if (replacedMs === undefined) {
    process.kill(pid, 'SIGKILL');
    return { answers: [], note: `not replaced in ${GIVE_UP_MS / 1000} s`, missed: ['not replaced within 20 s'] };
  }
  const servingMs = role === 'api' ? await timeUntil(() => isReady(stage), GIVE_UP_MS) : 0;
  const seconds = (replacedMs + (servingMs ?? GIVE_UP_MS)) / 1000;
  const missed = seconds * 1000 > REPLACED_WITHIN_MS ? ['not replaced within 20 s'] : [];
  return { answers: [], note: `replaced after ${seconds.toFixed(1)} s`, missed };
}

async function isReady(stage) {
  return (await stage.call('GET', '/readyz', { patienceMs: 2000 })).status === 200;
}

async function startRenders(stage, count) {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const { body } = await stage.attack('POST', '/videos', { body: VIDEO });
      await stage.attack('POST', `/videos/render/${body._id}`);
      return body._id;
    }),
  );
}

/** Fills the disk of a file to its last byte; remove the file to free it. */
function fillDisk(path) {
  const file = openSync(path, 'w');
  for (let size = 1 << 20; size >= 512; size >>= 1) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size));
    } catch (error) {
      if (error.code !== 'ENOSPC') throw error;
    }
  }
  // A file that is open keeps its space after it is removed.
  closeSync(file);
}

/** Parts of the server hang, die or run out of space. Callers notice, so their speed is not judged, only responses of 500 and the recovery. */
export const OUTAGE_ATTACKS = [
  { name: 'hung-api', what: 'SIGSTOP to the API', run: (stage) => freeze(stage, 'api') },
  { name: 'hung-worker', what: 'SIGSTOP to the worker', run: (stage) => freeze(stage, 'worker') },
  {
    name: 'database-restart',
    what: 'PostgreSQL killed twice while a stream is watched and 4 videos are rendered',
    soils: true,
    async run(stage) {
      const stream = await openConnectedStream(stage, stage.attacker.token);
      try {
        const ids = await startRenders(stage, 4);
        await sleep(1500);
        const framesBefore = await stream.frames();
        for (let n = 0; n < 2; n++) {
          process.kill(stage.postmaster(), 'SIGKILL');
          await sleep(1000);
          await timeUntil(() => isReady(stage), GIVE_UP_MS);
        }
        const framesAfter = await stream.frames();
        const statusOf = async (id) => (await stage.attack('GET', `/videos/${id}`)).body?.status;
        const ended = await timeUntil(async () => {
          const statuses = await Promise.all(ids.map(statusOf));
          return statuses.every((status) => status === 'ready');
        }, 40_000);
        return {
          answers: [],
          note: `${framesAfter - framesBefore} frames meanwhile; videos ${ended === undefined ? 'not ready in 40 s' : `ready after ${(ended / 1000).toFixed(1)} s`}`,
          missed: [
            ...(framesAfter > framesBefore ? [] : ['the stream stopped']),
            ...(ended === undefined ? ['videos not ready'] : []),
          ],
        };
      } finally {
        stream.close();
      }
    },
  },
  {
    name: 'full-disk',
    what: 'the disk of the data folder full for 6 s while videos are written and pictures uploaded',
    ownDiskMb: 700,
    soils: true,
    async run(stage) {
      const filler = join(stage.folder, 'filler');
      const answers = [];
      fillDisk(filler);
      const until = performance.now() + 6000;
      for (let n = 0; performance.now() < until; n++) {
        const write = stage.attack('POST', '/videos', { body: VIDEO, patienceMs: 8000 });
        const upload = stage.attack('POST', '/media', { ...(await onePixel(n)), patienceMs: 8000 });
        answers.push(...(await Promise.all([write, upload])));
        await sleep(200);
      }
      rmSync(filler);
      const back = await timeUntil(
        async () => (await stage.attack('POST', '/videos', { body: VIDEO, patienceMs: 5000 })).status === 200,
        GIVE_UP_MS,
      );
      return {
        answers,
        note: back === undefined ? 'not back in 25 s' : `writes again after ${(back / 1000).toFixed(1)} s`,
        missed: back === undefined ? ['does not write again'] : [],
      };
    },
  },
].map((attack) => ({ ...attack, isOutage: true }));

/**
 * Mounts a small disk in memory. Only root can.
 * @returns `{folder, close()}`
 */
export function mountSmallDisk(folder, megabytes) {
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', folder]);
  return {
    folder,
    close() {
      execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true });
    },
  };
}
