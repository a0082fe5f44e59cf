import type { Kernel } from '../../../kernel/contract.js';
import { attemptPrefix } from '../records/outcomes.js';
import * as store from '../records/spread-store.js';

/*
 * Intermediate files of a render: the plan, the sound and the spans of a spread one; files of attempts that were killed
 * while storing them. The process that ends a render removes the files it knows. The sweep removes the rest later, when
 * no process can be writing any more, and then clears the render's flag `has_work`. Temporary folders of killed workers
 * are removed by kernel/storage/temporary-folders.ts.
 */

/** Key prefix of the plan and the sound of a spread render. */
export function workPrefix({ workspaceId, id }: { workspaceId: string; id: string }): string {
  return `${workspaceId}/renders/${id}/`;
}

/** Removes the shared files of an ended render. Idempotent. Failures are left to the sweep. */
export async function removeWork(kernel: Kernel, render: { workspaceId: string; id: string }): Promise<void> {
  try {
    if (!(await store.deleteSpans(kernel.db, render.id))) return;
    await kernel.objects.deletePrefix(workPrefix(render));
  } catch (error) {
    kernel.log.warn({ err: error, renderId: render.id }, 'the intermediate files of a render could not be removed yet');
  }
}

/** Removes the intermediate files of renders that ended more than `settledMs` ago. */
export async function sweepLeftovers(kernel: Kernel, { settledMs }: { settledMs: number }): Promise<void> {
  const before = new Date(kernel.clock.now() - settledMs);
  for (const render of await store.findEnded(kernel.db, before)) {
    await store.deleteSpans(kernel.db, render.id);
    await kernel.objects.deletePrefix(workPrefix(render));
    for (const prefix of losingPrefixes(render)) await kernel.objects.deletePrefix(prefix);
    await store.forgetWork(kernel.db, render.id);
  }
}

/** File prefixes of all attempts except the one whose files the video uses. */
function losingPrefixes(render: store.EndedRender): string[] {
  const attempts = Array.from({ length: render.attempt }, (_, n) => attemptPrefix({ ...render, attempt: n + 1 }));
  return attempts.filter((prefix) => !render.videoKey?.startsWith(prefix));
}
