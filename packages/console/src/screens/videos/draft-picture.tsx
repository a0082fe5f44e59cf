import type { VideoSummary } from '@figurehead/sdk';
import { useQuery } from '@tanstack/react-query';
import { useAvatars } from '../../api/catalogue.js';
import { useApi } from '../../api/client.js';
import { pictureOf, SlideSketch } from '../../shell/slide-sketch.js';
import { canvasSizeOf } from '../editor/document.js';

/** A sketch of the first slide, for videos that have no thumbnail yet. */
export default function DraftPicture({ video }: { readonly video: VideoSummary }) {
  const api = useApi();
  const avatars = useAvatars().data ?? [];
  const { data } = useQuery({
    queryKey: ['sketch', video._id, video.updatedAt],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => api.readVideo({ videoId: video._id }, { signal }),
  });
  const slide = data?.slides[0];
  if (!data || !slide) return null;
  return <SlideSketch slide={slide} size={canvasSizeOf(data)} picture={pictureOf(avatars, slide)} />;
}
