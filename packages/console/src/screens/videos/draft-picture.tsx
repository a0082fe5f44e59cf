import type { VideoSummary } from '@figurehead/sdk';
import { withoutTags } from '@figurehead/sdk/document';
import { useRead } from '../../api/client.js';
import { SlideSketch } from '../../shell/slide-sketch.js';
import { canvasSizeOf, objectsOf } from '../editor/document.js';

/** A sketch of the first slide, for videos that have no thumbnail yet; where nothing is on it, what it says. */
export default function DraftPicture({ video }: { readonly video: VideoSummary }) {
  const { data } = useRead(
    ['sketch', video._id, video.updatedAt],
    (api, call) => api.readVideo({ videoId: video._id }, call),
    { staleTime: Number.POSITIVE_INFINITY },
  );
  const slide = data?.slides[0];
  if (!data || !slide) return null;
  const isBare = !slide.avatar && slide.canvas?.background === undefined && objectsOf(slide).length === 0;
  if (isBare) return <span className="fh-quote">{withoutTags(slide.speech ?? '') || video.name}</span>;
  return <SlideSketch local slide={slide} size={canvasSizeOf(data)} />;
}
