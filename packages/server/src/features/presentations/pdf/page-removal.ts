import type { Kernel } from '../../../kernel/contract.js';
import { repeat } from '../../../kernel/jobs/repeat.js';
import { importPrefix } from '../reading/objects.js';
import { listUnshown, markRemoved } from '../store.js';

/** Most imports looked after at a time. */
const BATCH = 100;

/** How often a worker looks for pages that nothing shows any more. */
const EVERY_MS = 10 * 60_000;

/**
 * Removes the pages of imports whose video was deleted, once no copy of it is left. A deletion does not do it itself, because it
 * cannot know of the copies without looking through all documents.
 */
export async function removeUnshownPages(kernel: Kernel): Promise<void> {
  for (const { id, workspaceId } of await listUnshown(kernel.db, BATCH)) {
    await kernel.objects.deletePrefix(importPrefix({ workspaceId, id }));
    await markRemoved(kernel.db, id, new Date(kernel.clock.now()));
  }
}

/** Looks every ten minutes; the kernel's lifecycle ends it. */
export function startPageRemoval(kernel: Kernel): void {
  const failure = 'pages of deleted videos could not be removed';
  repeat(kernel, { name: 'page removal', everyMs: EVERY_MS, failure }, () => removeUnshownPages(kernel));
}
