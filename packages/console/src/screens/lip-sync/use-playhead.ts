import { type RefObject, useEffect, useState } from 'react';

/** Playback position of a video. */
export interface Playhead {
  /** Seconds. */
  readonly at: number;
  readonly playing: boolean;
}

/** Follows a video frame by frame, by the time of the displayed picture where the browser reports it. */
export function usePlayhead(film: RefObject<HTMLVideoElement | null>): Playhead {
  const [head, setHead] = useState<Playhead>({ at: 0, playing: false });
  useEffect(() => {
    const player = film.current;
    if (!player) return;
    let frame = 0;
    const look = () => setHead({ at: player.currentTime, playing: !player.paused });
    const follow = () => {
      look();
      if (!player.paused) frame = requestAnimationFrame(follow);
    };
    const events = ['play', 'pause', 'seeking', 'seeked', 'timeupdate', 'loadedmetadata'] as const;
    for (const event of events) player.addEventListener(event, look);
    player.addEventListener('play', follow);
    look();
    if (!player.paused) follow();
    return () => {
      cancelAnimationFrame(frame);
      for (const event of events) player.removeEventListener(event, look);
      player.removeEventListener('play', follow);
    };
  }, [film]);
  return head;
}
