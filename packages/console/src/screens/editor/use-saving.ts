import type { Video } from '@figurehead/sdk';
import { useWindowEvent } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { describeError, useApi } from '../../api/client.js';
import { tell } from '../../lib/notices.js';
import type { EditorStore } from './store.js';

/** Delay after the last change before it is saved, ms. */
const PAUSE_MS = 800;

/**
 * Saves the document shortly after each change, one request at a time, and before the user leaves the page. The store's `saving` tells how far it is.
 * @returns a function that saves now: it resolves once everything is saved, and rejects when saving fails.
 */
export function useSaving(videoId: string, store: EditorStore): () => Promise<void> {
  const api = useApi();
  const queries = useQueryClient();
  const stored = useRef(store.getState().draft);
  const running = useRef<Promise<void>>(Promise.resolve());

  const flush = useCallback((): Promise<void> => {
    const next = running.current
      .catch(() => undefined)
      .then(async () => {
        const wanted = store.getState().draft;
        if (wanted === stored.current) return store.setState({ saving: 'saved' });
        store.setState({ saving: 'saving' });
        const body = {
          name: wanted.name.trim() || 'Untitled video',
          slides: [...wanted.slides],
          data: { ...wanted.data },
        };
        try {
          const video: Video = await api.updateVideo({ videoId, body });
          stored.current = wanted;
          queries.setQueryData(['video', videoId], video);
          void queries.invalidateQueries({ queryKey: ['videos'] });
          store.setState({ saving: store.getState().draft === wanted ? 'saved' : 'waiting' });
        } catch (error) {
          store.setState({ saving: 'failed' });
          throw error;
        }
      });
    running.current = next;
    return next;
  }, [api, queries, videoId, store]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const save = () =>
      void flush().catch((error: unknown) =>
        tell({ id: 'saving', failed: 'Not saved', message: describeError(error) }),
      );
    const stop = store.subscribe(({ draft }, before) => {
      if (draft === before.draft) return;
      clearTimeout(timer);
      timer = setTimeout(save, PAUSE_MS);
      store.setState({ saving: 'waiting' });
    });
    // Leaving the screen saves the rest; leaving the page asks first.
    return () => {
      stop();
      clearTimeout(timer);
      if (store.getState().draft !== stored.current) save();
    };
  }, [flush, store]);
  useWindowEvent('beforeunload', (event) => {
    if (store.getState().draft !== stored.current) event.preventDefault();
  });
  return flush;
}
