import { LiveStream, type LiveStreamOptions } from '@figurehead/sdk';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useAction, useApi } from '../../api/client.js';

/** As wide as the frame on the page, small enough for a server without a GPU. */
const PICTURE = { width: 848, height: 480 };

/** One live stream of a screen: `start` opens it, `end` and leaving the screen close it, also while it is opened. */
export function useLiveStream() {
  const api = useApi();
  const video = useRef<HTMLVideoElement>(null);
  const opening = useRef<AbortController>(undefined);
  const [stream, setStream] = useState<LiveStream | null>(null);
  // Why the server or the network ended the last one, as the end of a sentence.
  const [ended, setEnded] = useState<string | null>(null);
  const start = useAction(
    async (options: LiveStreamOptions) => {
      setEnded(null);
      const leaving = new AbortController();
      opening.current = leaving;
      const opened = await LiveStream.open(api, {
        ...PICTURE,
        ...options,
        signal: leaving.signal,
        ...(video.current && { video: video.current }),
      });
      // Also when the screen is left before the component knows the stream.
      leaving.signal.addEventListener('abort', () => void opened.close(), { once: true });
      if (leaving.signal.aborted) await opened.close();
      opened.on('closed', ({ reason, by }) => {
        // A new stream may already be open.
        setStream((current) => (current === opened ? null : current));
        // Who ends it knows why.
        setEnded(by === 'client' ? '' : `: ${reason}`);
      });
      return opened;
    },
    { quiet: true, onDone: setStream },
  );
  useEffect(() => () => opening.current?.abort(), []);
  // The components that poll its numbers unmount first.
  useEffect(() => () => void stream?.close(), [stream]);
  return { video, stream, ended, start, end: () => setStream(null) };
}

/** The colour behind a live presenter; a light one is too bright in the dark scheme. */
export function useBackground(): string {
  return useComputedColorScheme('light') === 'dark' ? '#26302c' : '#e7efe9';
}
