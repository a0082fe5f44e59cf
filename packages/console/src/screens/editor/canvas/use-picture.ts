import { type CanvasSize, FACE_WIDTH, portraitWidth } from '@figurehead/sdk/document';
import { useEffect, useState } from 'react';

/** A loaded picture; `undefined` while it loads and when it fails. */
export function usePicture(src: string | undefined): HTMLImageElement | undefined {
  const [loaded, setLoaded] = useState<{ src: string; image: HTMLImageElement }>();
  useEffect(() => {
    if (!src) return;
    const image = new window.Image();
    const show = () => setLoaded({ src, image });
    image.addEventListener('load', show);
    image.src = src;
    return () => image.removeEventListener('load', show);
  }, [src]);
  return loaded && loaded.src === src ? loaded.image : undefined;
}

/** The part of a picture that covers a box without distortion, for Konva's `crop`. */
export function coverCrop(image: { width: number; height: number }, box: { width: number; height: number }) {
  const scale = Math.max(box.width / image.width, box.height / image.height);
  const [width, height] = [box.width / scale, box.height / scale];
  return { x: (image.width - width) / 2, y: (image.height - height) / 2, width, height };
}

/** A presenter's picture in `box` as rendering fits it: the part of the picture, and its place in the box. */
export function presenterFit(image: CanvasSize, box: CanvasSize) {
  const width = portraitWidth(image, box.width / box.height, FACE_WIDTH * image.height);
  const scale = Math.min(box.width / width, box.height / image.height);
  return {
    x: (box.width - width * scale) / 2,
    y: box.height - image.height * scale,
    width: width * scale,
    height: image.height * scale,
    crop: { x: (image.width - width) / 2, y: 0, width, height: image.height },
  };
}

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
