import { useEffect, useState } from 'react';
import type { LoadedPictures } from './slide-painting.js';

const NONE: LoadedPictures = new Map();

/** The pictures at these addresses that have loaded. */
export function usePictures(sources: readonly string[]): LoadedPictures {
  const [loaded, setLoaded] = useState(NONE);
  const wanted = JSON.stringify([...new Set(sources)].sort());
  useEffect(() => {
    let isOpen = true;
    const addresses: string[] = JSON.parse(wanted);
    setLoaded((now) => (now.size === 0 ? now : new Map([...now].filter(([src]) => addresses.includes(src)))));
    for (const src of addresses) {
      const image = new window.Image();
      // Also where it is loaded already: another picture of the list may have been removed meanwhile.
      image.addEventListener('load', () => isOpen && setLoaded((now) => new Map(now).set(src, image)));
      image.src = src;
    }
    return () => {
      isOpen = false;
    };
  }, [wanted]);
  return loaded;
}
