import type { Font, Slide } from '@figurehead/sdk';
import { type CanvasObject, FAMILY_ALIASES, FONT_FAMILIES } from '@figurehead/sdk/document';
import { useEffect, useState } from 'react';
import { useAll } from './client.js';

/** Families of every installation, lower case. */
const SHIPPED = new Set([...FONT_FAMILIES, ...Object.values(FAMILY_ALIASES)].map((family) => family.toLowerCase()));

/** The name of a document's family alone. */
function plainName(family: string): string {
  return family.split(',')[0]?.replace(/["']/g, '').trim() ?? '';
}

/** Name of an uploaded family in the page, which no font of the user's machine has. */
const uploadedName = (family: string) => `fh ${family}`;

/**
 * The families that draw one of a document, the first that has a letter: those of the renderer. Never a font of the user's machine, which would
 * look different from the video.
 */
export function drawnFamilies(family: string): string[] {
  const asked = plainName(family);
  const name = FAMILY_ALIASES[asked.toLowerCase()] ?? asked;
  // Bundled under their own names or, when all weights are in one file, under variable ones. The own name alone could be a font of the machine.
  const shipped = SHIPPED.has(name.toLowerCase()) ? [`${name} Variable`, name] : [];
  return [...new Set([uploadedName(asked), ...shipped, 'Inter Variable'])];
}

/** The fonts of the workspace. */
export function useFonts() {
  return useAll(['fonts'], (api, call) => api.listFonts({ query: { limit: 100 } }, call));
}

/** Families of texts on slides that neither the installation nor the workspace has, each once. */
export function missingFamilies(slides: readonly Slide[], uploaded: readonly string[]): string[] {
  const known = new Set([
    ...SHIPPED,
    ...Object.keys(FAMILY_ALIASES),
    ...uploaded.map((family) => family.toLowerCase()),
  ]);
  const missing = new Map<string, string>();
  const read = (object: CanvasObject): void => {
    const family = object.fontFamily && plainName(object.fontFamily);
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
        new FontFace(uploadedName(font.family), `url("${font.url}")`, {
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
    const names = [...new Set(wanted.split('|').flatMap(drawnFamilies))];
    const loads = names.flatMap((name) => [400, 700].map((weight) => document.fonts.load(`${weight} 20px "${name}"`)));
    // If one cannot be loaded, the next family of the list is used.
    void Promise.allSettled(loads).then(() => open && setRevision((now) => now + 1));
    return () => {
      open = false;
    };
  }, [wanted]);
  return revision;
}
