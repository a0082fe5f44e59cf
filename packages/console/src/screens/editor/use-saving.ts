import type { Video } from '@figurehead/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { describeError, useApi } from '../../api/client.js';
import { tell } from '../../lib/notices.js';
import type { Draft } from './document.js';

/** Delay after the last change before it is saved, ms. */
const PAUSE_MS = 800;

/** Saves a draft shortly after each change, one request at a time, and before the user leaves the page. */
export function useSaving(videoId: string, draft: Draft) {
  const api = useApi();
  const queries = useQueryClient();
  const stored = useRef(draft);
  const latest = useRef(draft);
  latest.current = draft;
  const running = useRef<Promise<void>>(Promise.resolve());
  const [state, setState] = useState<'saved' | 'waiting' | 'saving' | 'failed'>('saved');

  /** Resolves once everything is saved; rejects when saving fails. */
  const flush = useCallback((): Promise<void> => {
    const next = running.current
      .catch(() => undefined)
      .then(async () => {
        const wanted = latest.current;
        if (wanted === stored.current) return;
        setState('saving');
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
          setState(latest.current === wanted ? 'saved' : 'waiting');
        } catch (error) {
          setState('failed');
          throw error;
        }
      });
    running.current = next;
    return next;
  }, [api, queries, videoId]);

  useEffect(() => {
    if (draft === stored.current) return;
    setState('waiting');
    const timer = setTimeout(() => {
      flush().catch((error: unknown) => tell({ id: 'saving', failed: 'Not saved', message: describeError(error) }));
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, flush]);

  // Leaving the screen saves the rest; leaving the page asks first.
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (latest.current !== stored.current) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => {
      window.removeEventListener('beforeunload', warn);
      if (latest.current !== stored.current) {
        flush().catch((error: unknown) => tell({ id: 'saving', failed: 'Not saved', message: describeError(error) }));
      }
    };
  }, [flush]);

  return { state, flush };
}
