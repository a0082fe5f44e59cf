import type { Font, Slide } from '@figurehead/sdk';
import { type CanvasObject, FAMILY_ALIASES, FONT_FAMILIES } from '@figurehead/sdk/document';
import { useEffect, useState } from 'react';
import { useAll } from './client.js';

/** Families of every installation, and those that it replaces by metric-compatible ones; lower case. */
const DRAWN = new Set([
  ...FONT_FAMILIES.map((family) => family.toLowerCase()),
  ...Object.keys(FAMILY_ALIASES),
  ...Object.values(FAMILY_ALIASES).map((family) => family.toLowerCase()),
]);

/** The fonts of the workspace. */
export function useFonts() {
  return useAll(['fonts'], (api, call) => api.listFonts({ query: { limit: 100 } }, call));
}

/** Families of texts on slides that neither the installation nor the workspace has, each once. */
export function missingFamilies(slides: readonly Slide[], uploaded: readonly string[]): string[] {
  const known = new Set([...DRAWN, ...uploaded.map((family) => family.toLowerCase())]);
  const missing = new Map<string, string>();
  const read = (object: CanvasObject): void => {
    const family = object.fontFamily?.split(',')[0]?.replace(/["']/g, '').trim();
    const key = family?.toLowerCase();
    if (family && key && !known.has(key) && !missing.has(key)) missing.set(key, family);
    if (Array.isArray(object.objects)) (object.objects as CanvasObject[]).forEach(read);
  };
  for (const slide of slides) slide.canvas?.objects?.forEach(read);
  return [...missing.values()];
}

/** Registers the workspace's fonts with the page while the editor is open. */
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

/** Changes when fonts of these families have loaded, because a canvas does not measure its text again by itself. */
export function useFontRevision(families: readonly string[]): number {
  const [revision, setRevision] = useState(0);
  const wanted = [...new Set(families)].sort().join('|');
  useEffect(() => {
    if (wanted === '') return;
    let open = true;
    const names = wanted.split('|').flatMap((name) => [name, `${name} Variable`]);
    const loads = names.flatMap((name) => [400, 700].map((weight) => document.fonts.load(`${weight} 20px "${name}"`)));
    // If one cannot be loaded, the next family of the list is used.
    void Promise.allSettled(loads).then(() => open && setRevision((now) => now + 1));
    return () => {
      open = false;
    };
  }, [wanted]);
  return revision;
}
