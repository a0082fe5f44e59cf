import type { VideoSummary } from '@figurehead/sdk';
import { useRead } from '../../api/client.js';
import { SlideSketch } from '../../shell/slide-sketch.js';
import { canvasSizeOf } from '../editor/document.js';

/** A sketch of the first slide, for videos that have no thumbnail yet. */
export default function DraftPicture({ video }: { readonly video: VideoSummary }) {
  const { data } = useRead(
    ['sketch', video._id, video.updatedAt],
    (api, call) => api.readVideo({ videoId: video._id }, call),
    { staleTime: Number.POSITIVE_INFINITY },
  );
  const slide = data?.slides[0];
  if (!data || !slide) return null;
  return <SlideSketch slide={slide} size={canvasSizeOf(data)} />;
}
