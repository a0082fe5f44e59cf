import type { Kernel } from '../../kernel/contract.js';
import { deleteMedia, findMedia } from '../library/index.js';
import type { PhotoAvatarRow } from './photo-store.js';

type Footage = Pick<PhotoAvatarRow, 'footageId' | 'workspaceId'>;

/** Opens the video that an avatar is made from; `undefined` when it was deleted from the library. */
export async function openFootage(kernel: Kernel, row: Footage): ReturnType<Kernel['objects']['get']> {
  const fileKey = (await findFootage(kernel, row))?.fileKey;
  return fileKey == null ? undefined : kernel.objects.get(fileKey);
}

/** Deletes the video that an avatar was made from, which is not needed any more. */
export async function deleteFootage(kernel: Kernel, row: Footage): Promise<void> {
  const medium = await findFootage(kernel, row);
  if (medium !== undefined) await deleteMedia(kernel, medium);
}

async function findFootage(kernel: Kernel, { footageId, workspaceId }: Footage) {
  const medium = footageId === null ? undefined : await findMedia(kernel.db, footageId);
  return medium?.workspaceId === workspaceId ? medium : undefined;
}
