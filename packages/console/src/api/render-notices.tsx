import { Anchor } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { useStore } from 'zustand';
import { createJSONStorage, persist } from 'zustand/middleware';
import { createStore } from 'zustand/vanilla';
import { withoutPaths } from '../lib/problems.js';
import { isMoving } from '../lib/status.js';
import { useVideo } from './lists.js';

const KEY = 'figurehead-rendering';
/** How often renders that were started here are asked for, ms. */
const POLL_MS = 4000;

/** Videos whose rendering was started in this tab and has not ended yet; kept over a reload. */
const started = createStore<{ readonly ids: readonly string[] }>()(
  persist(() => ({ ids: [] as readonly string[] }), { name: KEY, storage: createJSONStorage(() => sessionStorage) }),
);

/** Remembers a render that was started in this tab, so that its end is told on every screen. */
export function noteRender(videoId: string): void {
  started.setState(({ ids }) => ({ ids: [...new Set([...ids, videoId])] }));
}

/** Tells the end of renders that were started in this tab. */
export function RenderNotices() {
  const { ids } = useStore(started);
  return ids.map((id) => <Watched key={id} videoId={id} />);
}

function Watched({ videoId }: { readonly videoId: string }) {
  const [path] = useLocation();
  const { data, isError } = useVideo(videoId, {
    refetchInterval: POLL_MS,
    // Also while another tab is in front.
    refetchIntervalInBackground: true,
    retry: false,
  });
  const hasEnded = isError || (data !== undefined && !isMoving(data.status));
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once, when it has ended
  useEffect(() => {
    if (!hasEnded) return;
    started.setState(({ ids }) => ({ ids: ids.filter((id) => id !== videoId) }));
    const isSeen = path === `/videos/${videoId}` && document.visibilityState === 'visible';
    if (data === undefined || data.status === 'draft' || isSeen) return;
    const failed = data.status === 'error';
    notifications.show({
      color: failed ? 'red' : 'verdigris',
      autoClose: failed ? false : 10_000,
      closeButtonProps: { 'aria-label': 'Close' },
      title: failed ? `“${data.name}” could not be rendered` : `“${data.name}” is ready`,
      message: (
        <>
          {failed && `${withoutPaths(data.error ?? '')} `}
          <Anchor component={Link} href={`/videos/${videoId}`} size="sm">
            {failed ? 'Open it' : 'Watch it'}
          </Anchor>
        </>
      ),
    });
    markTitle(failed ? '✕' : '✓');
  }, [hasEnded]);
  return null;
}

/** Marks the title of a tab in the background until it is looked at. */
function markTitle(mark: string): void {
  if (document.visibilityState === 'visible') return;
  const title = document.title;
  document.title = `${mark} ${title}`;
  document.addEventListener('visibilitychange', () => (document.title = title), { once: true });
}
