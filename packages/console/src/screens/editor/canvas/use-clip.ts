import { useEffect, useState } from 'react';

/** The loaded first frame of a clip; `undefined` while it loads and when it fails. */
export function useClip(src: string | undefined): HTMLVideoElement | undefined {
  const [loaded, setLoaded] = useState<{ src: string; video: HTMLVideoElement }>();
  useEffect(() => {
    if (!src) return;
    const video = document.createElement('video');
    const show = () => setLoaded({ src, video });
    video.addEventListener('loadeddata', show);
    video.muted = true;
    video.preload = 'auto';
    video.src = src;
    return () => {
      video.removeEventListener('loadeddata', show);
      video.removeAttribute('src');
      video.load();
    };
  }, [src]);
  return loaded && loaded.src === src ? loaded.video : undefined;
}
