/** URLs of the pictures from `scripts/layout-pictures.js`, by file name without extension. */
const PICTURES = Object.fromEntries(
  Object.entries(import.meta.glob<string>('./pictures/*.webp', { eager: true, query: '?url', import: 'default' })).map(
    ([path, address]) => [path.slice('./pictures/'.length, -'.webp'.length), address],
  ),
);

/** The picture of a slide layout, or of a video template for a name with the prefix `video-`. */
export function pictureNamed(name: string): string | undefined {
  return PICTURES[name];
}
