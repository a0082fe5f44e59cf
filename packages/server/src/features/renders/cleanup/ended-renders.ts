import type { Kernel } from '../../../kernel/contract.js';
import { repeat } from '../../../kernel/jobs/repeat.js';
import { trimSegments } from '../engine/index.js';
import { attemptPrefix, spans as store } from '../records/index.js';

/*
 * What a render leaves beside its result: the plan, the sound and the spans of a spread one; files of attempts that were killed while they
 * stored them. Whoever ends a render removes what it knows of at once. Killed before that, it leaves it to the sweep, which looks again when
 * nobody can be writing any more, and only then takes the render off its list (`has_work`). Folders of killed workers go with their processes
 * (kernel/temporary-folders.ts).
 */

/** How often a worker sweeps. */
const EVERY_MS = 60_000;

/** Nobody works on a render for longer after its end: heartbeats come every second, and a frozen process finds its claim lost. */
const SETTLED_MS = 5 * 60_000;

/** Where the plan and the sound of a spread render are. */
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
  const failure = 'what ended renders have left could not be removed';
  repeat(kernel, { name: 'render sweep', everyMs: EVERY_MS, failure }, async () => {
    await sweepLeftovers(kernel, { settledMs: SETTLED_MS });
    await trimSegments(kernel);
  });
}

/** Removes what renders that ended more than `settledMs` ago have left. */
export async function sweepLeftovers(kernel: Kernel, { settledMs }: { settledMs: number }): Promise<void> {
  const before = new Date(kernel.clock.now() - settledMs);
  for (const render of await store.findEnded(kernel.db, before)) {
    await store.deleteSpans(kernel.db, render.id);
    await kernel.objects.deletePrefix(workPrefix(render));
    for (const prefix of losingPrefixes(render)) await kernel.objects.deletePrefix(prefix);
    await store.forgetWork(kernel.db, render.id);
  }
}

/** Files of all attempts but the one whose files the video shows. */
function losingPrefixes(render: store.EndedRender): string[] {
  const attempts = Array.from({ length: render.attempt }, (_, n) => attemptPrefix({ ...render, attempt: n + 1 }));
  return attempts.filter((prefix) => !render.videoKey?.startsWith(prefix));
}
