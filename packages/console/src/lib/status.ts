import type { VideoStatus } from '@figurehead/sdk';

/** Label and colour of a status. */
export const STATUS_WORDS: Readonly<Record<VideoStatus, { readonly label: string; readonly color: string }>> = {
  draft: { label: 'Draft', color: 'gray' },
  queued: { label: 'Queued', color: 'orange' },
  rendering: { label: 'Rendering', color: 'blue' },
  moderation: { label: 'In review', color: 'grape' },
  importing: { label: 'Importing', color: 'blue' },
  ready: { label: 'Ready', color: 'verdigris' },
  error: { label: 'Failed', color: 'red' },
};

/** A status that changes without user action, so it is polled. */
export function isMoving(status: VideoStatus): boolean {
  return status === 'queued' || status === 'rendering' || status === 'importing' || status === 'moderation';
}
