import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kernel } from '../../kernel/contract.js';
import { attemptPrefix } from './outcomes.js';
import { trimSegments } from './shared-segments.js';
import * as store from './spread-store.js';

/*
 * What a render leaves beside its result: the score, the sound and the spans of a spread one; files of attempts that were killed while they
 * stored them; folders of killed workers. Whoever ends a render removes what it knows of at once. Killed before that, it leaves it to the
 * sweep, which looks again when nobody can be writing any more, and only then takes the render off its list (`has_work`).
 */

/** How often a worker sweeps. */
const EVERY_MS = 60_000;

/** Nobody works on a render for longer after its end: beats come every second, and a frozen process finds its claim lost. */
const SETTLED_MS = 5 * 60_000;

/** Nothing in the folder of a living render is older than this. */
const ABANDONED_MS = 2 * 3600_000;

/** Where the score and the sound of a spread render lie. */
export function workPrefix({ workspaceId, id }: { workspaceId: string; id: string }): string {
  return `${workspaceId}/renders/${id}/`;
}

/** Removes what was shared for an ended render. Idempotent. What fails is left to the sweep. */
export async function removeWork(kernel: Kernel, render: { workspaceId: string; id: string }): Promise<void> {
  try {
    if (!(await store.deleteSpans(kernel.db, render.id))) return;
    await kernel.objects.deletePrefix(workPrefix(render));
  } catch (error) {
    kernel.log.warn({ err: error, renderId: render.id }, 'the work of a render could not be removed yet');
  }
}

/** Sweeps now and then until the kernel closes. */
export function startSweep(kernel: Kernel): void {
  let running: Promise<void> | undefined;
  const sweep = async () => {
    try {
      await sweepLeftovers(kernel, { settledMs: SETTLED_MS, abandonedMs: ABANDONED_MS });
      await trimSegments(kernel);
    } catch (error) {
      kernel.log.warn({ err: error }, 'what ended renders have left could not be removed');
    }
    running = undefined;
  };
  const timer = setInterval(() => {
    running ??= sweep();
  }, EVERY_MS);
  kernel.lifecycle.onClose('render sweep', async () => {
    clearInterval(timer);
    await running;
  });
}

/** Removes what renders that ended more than `settledMs` ago have left, and local folders untouched for `abandonedMs`. */
export async function sweepLeftovers(
  kernel: Kernel,
  { settledMs, abandonedMs }: { settledMs: number; abandonedMs: number },
): Promise<void> {
  const before = new Date(kernel.clock.now() - settledMs);
  for (const render of await store.findEnded(kernel.db, before)) {
    await store.deleteSpans(kernel.db, render.id);
    await kernel.objects.deletePrefix(workPrefix(render));
    for (const prefix of losingPrefixes(render)) await kernel.objects.deletePrefix(prefix);
    await store.forgetWork(kernel.db, render.id);
  }
  await removeFolders(join(kernel.config.dataDir, 'tmp'), kernel.clock.now() - abandonedMs);
}

/** Files of all attempts but the one whose files the video shows. */
function losingPrefixes(render: store.EndedRender): string[] {
  const attempts = Array.from({ length: render.attempt }, (_, n) => attemptPrefix({ ...render, attempt: n + 1 }));
  return attempts.filter((prefix) => !render.videoKey?.startsWith(prefix));
}

async function removeFolders(parent: string, untouchedSince: number): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((entry) => entry.startsWith('render-'))) {
    const folder = join(parent, name);
    if ((await newest(folder)) < untouchedSince) await rm(folder, { recursive: true, force: true });
  }
}

/** When something in the folder was written last, ms since the epoch; now when it is being removed by another. */
async function newest(folder: string): Promise<number> {
  try {
    const files = (await readdir(folder)).map((name) => join(folder, name));
    const times = await Promise.all([folder, ...files].map(async (file) => (await stat(file)).mtimeMs));
    return Math.max(...times);
  } catch {
    // It vanishes at this moment: its owner lives.
    return Date.now();
  }
}
