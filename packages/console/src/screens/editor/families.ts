// The families that rendering has, so that the canvas shows what the video will. Browsers load only the letters that are used.
import '@fontsource-variable/montserrat/wght.css';
import '@fontsource-variable/noto-sans/wght.css';
import '@fontsource-variable/noto-serif/wght.css';
import '@fontsource-variable/open-sans/wght.css';
import '@fontsource-variable/playfair-display/wght.css';
import '@fontsource-variable/roboto/wght.css';
import '@fontsource-variable/roboto-mono/wght.css';
import '@fontsource/lato/400.css';
import '@fontsource/lato/700.css';
import type { Font } from '@figurehead/sdk';
import { useEffect, useState } from 'react';

/** Families that every installation has. */
export const FAMILIES = [
  'Inter',
  'Roboto',
  'Open Sans',
  'Lato',
  'Montserrat',
  'Playfair Display',
  'Noto Sans',
  'Noto Serif',
  'Roboto Mono',
] as const;

/** Makes fonts of the workspace known to the page while the editor is open. */
export function useWorkspaceFonts(fonts: readonly Font[] | undefined): void {
  useEffect(() => {
    const faces = (fonts ?? []).map(
      (font) =>
        new FontFace(font.family, `url("${font.url}")`, {
          weight: String(font.weight),
          style: font.style === 'italic' ? 'italic' : 'normal',
        }),
    );
    for (const face of faces) document.fonts.add(face);
    return () => {
      for (const face of faces) document.fonts.delete(face);
    };
  }, [fonts]);
}

/** Changes when fonts of these families have arrived: a canvas measures anew then, which it does not do by itself. */
export function useFontRevision(families: readonly string[]): number {
  const [revision, setRevision] = useState(0);
  const wanted = [...new Set(families)].sort().join('|');
  useEffect(() => {
    if (wanted === '') return;
    let open = true;
    const names = wanted.split('|').flatMap((name) => [name, `${name} Variable`]);
    const loads = names.flatMap((name) => [400, 700].map((weight) => document.fonts.load(`${weight} 20px "${name}"`)));
    // One that cannot be loaded is drawn in the next family of the list.
    void Promise.allSettled(loads).then(() => open && setRevision((now) => now + 1));
    return () => {
      open = false;
    };
  }, [wanted]);
  return revision;
}
