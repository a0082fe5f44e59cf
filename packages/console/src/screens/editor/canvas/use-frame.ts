import type { Slide, VideoData } from '@figurehead/sdk';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../../api/client.js';

/** A time of a slide in its current, unsaved state. */
export interface FrameRequest {
  readonly videoId: string;
  readonly slide: Slide;
  readonly data: VideoData;
  /** Seconds from the slide's start. */
  readonly at: number;
}

/** The server's frame: an object URL or an error, and whether a newer one is being fetched. */
export interface PreviewFrame {
  readonly url: string | undefined;
  readonly error: unknown;
  readonly busy: boolean;
}

/** Pause after typing or dragging before a new frame is requested, ms. */
const EDIT_PAUSE_MS = 350;

/** The rendered frame of a moment, as fast as the server draws them while the moment moves. Runs one request at a time; the latest wins. */
export function useFrame(moment: FrameRequest): PreviewFrame {
  const api = useApi();
  const { videoId, slide, data, at } = moment;
  const [frame, setFrame] = useState<PreviewFrame>({ url: undefined, error: undefined, busy: true });
  const requested = useRef<FrameRequest | null>(null);
  const latest = useRef<FrameRequest | null>(null);
  const running = useRef(false);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  const open = useRef(new AbortController());

  useEffect(() => {
    const controller = new AbortController();
    open.current = controller;
    return () => {
      controller.abort();
      clearTimeout(pause.current);
      pause.current = undefined;
      running.current = false;
      latest.current = null;
    };
  }, []);
  // An object URL keeps its picture in memory until it is revoked.
  useEffect(() => () => void (frame.url && URL.revokeObjectURL(frame.url)), [frame.url]);

  useEffect(() => {
    const edited = latest.current !== null && (latest.current.slide !== slide || latest.current.data !== data);
    requested.current = { videoId, slide, data, at };
    latest.current = requested.current;
    const { signal } = open.current;
    const draw = async () => {
      if (running.current) return;
      running.current = true;
      while (requested.current !== null && !signal.aborted) {
        const { current } = requested;
        requested.current = null;
        setFrame((now) => ({ ...now, busy: true }));
        try {
          const bytes = await api.previewSlide(
            {
              videoId: current.videoId,
              slideId: String(current.slide.id),
              query: { at: Math.round(current.at * 100) / 100 },
              body: { slide: current.slide, data: current.data },
            },
            { signal },
          );
          const url = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: 'image/webp' }));
          setFrame({ url, error: undefined, busy: requested.current !== null });
        } catch (error) {
          if (signal.aborted) return;
          setFrame((now) => ({ ...now, error, busy: false }));
        }
      }
      running.current = false;
    };
    if (edited) {
      clearTimeout(pause.current);
      pause.current = setTimeout(() => {
        pause.current = undefined;
        void draw();
      }, EDIT_PAUSE_MS);
      // A time that moves on does not prolong the pause: while a slide plays, each frame would.
    } else if (pause.current === undefined) void draw();
  }, [api, videoId, slide, data, at]);
  return frame;
}
