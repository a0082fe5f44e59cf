import { AuthenticationError, type Figurehead, NotFoundError, type Video, type VideoEvent } from '@figurehead/sdk';
import { useDocumentVisibility } from '@mantine/hooks';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApi } from './client.js';

type VideoList = Awaited<ReturnType<Figurehead['listVideos']>>;

/** Minimum interval between refetches of lists while videos outside the shown pages change, ms. */
const LIST_PAUSE_MS = 2000;
/** Pauses between connection attempts, ms: short at first, then as long as the polling interval. */
const PAUSES_MS = [500, 1000, 2000, 5000, 15_000];

/**
 * Keeps shown videos up to date with the server's events (GET /videos/events) while the screen is open and the page is visible: browsers
 * allow six connections to a server over HTTP/1.1, and hidden pages should not hold them. Reconnects after a failure.
 *
 * @returns whether events arrive now; if not, the caller polls.
 */
export function useVideoEvents(): boolean {
  const api = useApi();
  const queries = useQueryClient();
  const [live, setLive] = useState(false);
  const visibility = useDocumentVisibility();
  useEffect(() => {
    if (visibility === 'hidden') return;
    const watching = new AbortController();
    void watch({ api, queries, setLive, signal: watching.signal });
    return () => watching.abort();
  }, [api, queries, visibility]);
  return live;
}

async function watch(on: {
  readonly api: Figurehead;
  readonly queries: QueryClient;
  readonly setLive: (live: boolean) => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { api, queries, setLive, signal } = on;
  let listsReadAt = 0;
  const readLists = () => {
    if (Date.now() - listsReadAt < LIST_PAUSE_MS) return;
    listsReadAt = Date.now();
    void queries.invalidateQueries({ queryKey: ['videos'] });
  };
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      const events = await api.watchVideos({}, { signal });
      setLive(true);
      // Fetches changes from before the connection.
      void queries.invalidateQueries({ queryKey: ['videos'] });
      void queries.invalidateQueries({ queryKey: ['video'] });
      for await (const event of events) {
        failures = 0;
        apply(queries, event, readLists);
      }
    } catch (error) {
      if (error instanceof AuthenticationError) queries.setQueryData(['session'], null);
      // The server has no events, so the caller polls.
      if (error instanceof AuthenticationError || error instanceof NotFoundError) return setLive(false);
    }
    setLive(false);
    if (!signal.aborted) await pause(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0, signal);
  }
}

/** Updates a changed video in the lists and pages that show it, and refetches lists that it may have joined or left. */
function apply(queries: QueryClient, { video }: VideoEvent, readLists: () => void): void {
  const before = queries.getQueryData<Video>(['video', video._id]);
  if (before) {
    queries.setQueryData<Video>(['video', video._id], { ...withoutOutcome(before), ...video });
    // Only the whole document contains slides and the render report.
    if (before.status !== video.status) void queries.invalidateQueries({ queryKey: ['video', video._id] });
  }
  for (const [queryKey, list] of queries.getQueriesData<VideoList>({ queryKey: ['videos'] })) {
    const shown = list?.videos.find((one) => one._id === video._id);
    if (!list || !shown) {
      readLists();
      continue;
    }
    if (shown.status !== video.status || video.deleted) void queries.invalidateQueries({ queryKey });
    queries.setQueryData<VideoList>(queryKey, {
      ...list,
      videos: list.videos.map((one) => (one._id === video._id ? video : one)),
    });
  }
}

/** Keys that are absent from the event must not keep their old values. */
function withoutOutcome(video: Video): Omit<Video, keyof VideoEvent['video']> & Pick<Video, 'slides'> {
  const { error: _error, progress: _progress, stage: _stage, url: _url, thumbnail: _thumbnail, ...rest } = video;
  return rest;
}

/** Resolves early when the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
