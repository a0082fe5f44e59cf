import type { VideoSummary } from '@figurehead/sdk';
import { Progress } from '@mantine/core';
import { Suspense } from 'react';
import { formatDuration } from '../../lib/format.js';
import { late } from '../../lib/late.js';

// Drawing the sketch needs code that a list of finished videos does not need.
const DraftPicture = late(() => import('./draft-picture.js'));

/** The picture of a video in a list, with its length or its progress. */
export function VideoPicture({ video }: { readonly video: VideoSummary }) {
  const busy = video.status === 'queued' || video.status === 'rendering';
  return (
    <div className="fh-frame">
      {video.thumbnail ? (
        <img src={video.thumbnail} alt="" loading="lazy" />
      ) : (
        <Suspense>
          <DraftPicture video={video} />
        </Suspense>
      )}
      {video.duration !== undefined && video.status === 'ready' && (
        <span className="fh-slide-number">{formatDuration(video.duration)}</span>
      )}
      {busy && (
        <Progress
          pos="absolute"
          bottom={0}
          left={0}
          right={0}
          radius={0}
          size="sm"
          animated
          value={video.status === 'queued' ? 3 : Math.max(3, (video.progress ?? 0) * 100)}
          aria-label={`Progress of ${video.name}`}
        />
      )}
    </div>
  );
}
