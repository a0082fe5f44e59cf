import type { VideoStatus } from '@figurehead/sdk';
import { Badge } from '@mantine/core';
import { STATUS_WORDS } from '../lib/status.js';

/** A video's status as a word with its colour. */
export function StatusBadge({ status }: { readonly status: VideoStatus }) {
  const { label, color } = STATUS_WORDS[status];
  return (
    <Badge style={{ flex: 'none' }} color={color}>
      {label}
    </Badge>
  );
}
