import { type RefObject, useEffect, useState } from 'react';

type Film = RefObject<HTMLVideoElement | null>;

/** Follows a video frame by frame, where the browser reports its frames. @returns seconds */
export function usePlayhead(film: Film): number {
  const [at, setAt] = useState(0);
  useEffect(() => {
    const player = film.current;
    if (!player) return;
    const look = () => setAt(player.currentTime);
    let frame: number | undefined;
    const follow = () => {
      look();
      frame = player.requestVideoFrameCallback?.(follow);
    };
    const end = listen(player, ['seeking', 'seeked', 'timeupdate', 'loadedmetadata'], look);
    follow();
    return () => {
      end();
      if (frame !== undefined) player.cancelVideoFrameCallback(frame);
    };
  }, [film]);
  return at;
}

/** Whether a video plays. */
export function usePlaying(film: Film): boolean {
  const [playing, setPlaying] = useState(false);
  useEffect(() => {
    const player = film.current;
    if (!player) return;
    const look = () => setPlaying(!player.paused);
    look();
    return listen(player, ['play', 'pause'], look);
  }, [film]);
  return playing;
}

/** Calls `look` at each of the events until the returned function is called. */
function listen(player: HTMLVideoElement, events: readonly string[], look: () => void): () => void {
  for (const event of events) player.addEventListener(event, look);
  return () => {
    for (const event of events) player.removeEventListener(event, look);
  };
}
