import type { Slide, VideoData } from '@figurehead/sdk';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../api/client.js';

/** A moment of a slide as it stands in the editor. */
export interface Moment {
  readonly videoId: string;
  readonly slide: Slide;
  readonly data: VideoData;
  /** Seconds from the slide's start. */
  readonly at: number;
}

/** What the server drew of it: an object URL, why there is none, and whether a newer one is on its way. */
export interface Frame {
  readonly url: string | undefined;
  readonly error: unknown;
  readonly busy: boolean;
}

/** A change is worth a new frame once typing and dragging rest, milliseconds. */
const EDIT_PAUSE_MS = 350;
/** Scrubbing asks as fast as frames come. */
const SCRUB_PAUSE_MS = 40;

/** The frame of a moment as the rendered video will show it. One request at a time, the latest request wins. */
export function useFrame(moment: Moment): Frame {
  const api = useApi();
  const { videoId, slide, data, at } = moment;
  const [frame, setFrame] = useState<Frame>({ url: undefined, error: undefined, busy: true });
  const requested = useRef<Moment | null>(null);
  const drawn = useRef<Moment | null>(null);
  const running = useRef(false);
  const open = useRef(new AbortController());

  useEffect(() => {
    const controller = new AbortController();
    open.current = controller;
    return () => {
      controller.abort();
      running.current = false;
      drawn.current = null;
    };
  }, []);
  // An object URL holds its picture until it is given back.
  useEffect(() => () => void (frame.url && URL.revokeObjectURL(frame.url)), [frame.url]);

  useEffect(() => {
    requested.current = { videoId, slide, data, at };
    const edited = drawn.current !== null && (drawn.current.slide !== slide || drawn.current.data !== data);
    const { signal } = open.current;
    const draw = async () => {
      if (running.current) return;
      running.current = true;
      while (requested.current !== null && !signal.aborted) {
        const { current } = requested;
        requested.current = null;
        drawn.current = current;
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
    const timer = setTimeout(() => void draw(), edited ? EDIT_PAUSE_MS : SCRUB_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [api, videoId, slide, data, at]);
  return frame;
}
