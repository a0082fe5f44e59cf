import type { Kernel } from '../../kernel/contract.js';

/** The text of an utterance is written after its sound, and must go before it: whoever finds it finds the sound as well. */
const SOUND_OUTLIVES_TEXT_MS = 24 * 3600 * 1000;

/**
 * Removes spoken audio of a workspace that was kept for the next time the same is said, and previews. What slides refer to was copied out
 * and stays.
 * @returns how many objects.
 */
export async function expireAudio(kernel: Kernel, workspaceId: string, before: Date): Promise<number> {
  let removed = 0;
  for (const folder of ['speech', 'previews']) {
    for await (const { key, modifiedAt } of kernel.objects.list(`${workspaceId}/${folder}/`)) {
      const grace = folder === 'speech' && key.endsWith('.wav') ? SOUND_OUTLIVES_TEXT_MS : 0;
      if (modifiedAt.getTime() + grace >= before.getTime()) continue;
      await kernel.objects.delete(key);
      removed += 1;
    }
  }
  return removed;
}
