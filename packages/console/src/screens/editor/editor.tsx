import { useVideo } from '../../api/lists.js';
import { Loaded } from '../../shell/states.js';
import { Workbench } from './workbench.js';

/** Opens a video for editing. */
export default function Editor({ videoId }: { readonly videoId: string }) {
  const video = useVideo(videoId, {
    // During editing, the store has the latest version, so the query must not refetch.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
  });
  return (
    <Loaded query={video} height={420}>
      {(data) => (video.isFetchedAfterMount ? <Workbench video={data} /> : null)}
    </Loaded>
  );
}
