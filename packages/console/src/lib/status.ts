import type { VideoStatus } from '@figurehead/sdk';

/** How a status reads, and its colour. */
export const STATUS_WORDS: Readonly<Record<VideoStatus, { readonly label: string; readonly color: string }>> = {
  draft: { label: 'Draft', color: 'gray' },
  queued: { label: 'In the queue', color: 'orange' },
  rendering: { label: 'Rendering', color: 'blue' },
  moderation: { label: 'In review', color: 'grape' },
  importing: { label: 'Importing', color: 'blue' },
  ready: { label: 'Ready', color: 'verdigris' },
  error: { label: 'Failed', color: 'red' },
};

/** A status that changes by itself: worth looking again soon. */
export function isMoving(status: VideoStatus): boolean {
  return status === 'queued' || status === 'rendering' || status === 'importing' || status === 'moderation';
}
