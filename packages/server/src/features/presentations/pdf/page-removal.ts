import type { Kernel } from '../../../kernel/contract.js';
import { runPeriodically } from '../../../kernel/jobs/repeat.js';
import { importPrefix } from '../reading/objects.js';
import { listUnshown, markRemoved } from '../store.js';

/** Interval at which a worker looks for unused pages. */
const EVERY_MS = 10 * 60_000;

/**
 * Removes the pages of imports whose video was deleted, once it has no copies. The deletion itself cannot do it,
 * because finding copies needs a search through all documents.
 */
export async function removeUnshownPages(kernel: Kernel): Promise<void> {
  for (const { id, workspaceId } of await listUnshown(kernel.db)) {
    await kernel.objects.deletePrefix(importPrefix({ workspaceId, id }));
    await markRemoved(kernel.db, id, new Date(kernel.clock.now()));
  }
}

/** Runs every ten minutes; the kernel's lifecycle ends it. */
export function startPageRemoval(kernel: Kernel): void {
  const failure = 'pages of deleted videos could not be removed';
  runPeriodically(kernel, { name: 'page removal', everyMs: EVERY_MS, failure }, () => removeUnshownPages(kernel));
}
