import type { Kernel } from '../../kernel/contract.js';

/**
 * An utterance's text is written after its sound, and must be removed before it, so that a reader of the text also
 * finds the sound.
 */
const SOUND_OUTLIVES_TEXT_MS = 24 * 3600 * 1000;

/**
 * Removes a workspace's cached speech and previews. Slides have their own copies.
 * @returns the number of removed objects.
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
