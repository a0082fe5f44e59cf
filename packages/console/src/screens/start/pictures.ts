/** Addresses of the pictures that `scripts/layout-pictures.js` makes, by file name without its ending. */
const PICTURES = Object.fromEntries(
  Object.entries(import.meta.glob<string>('./pictures/*.webp', { eager: true, query: '?url', import: 'default' })).map(
    ([path, address]) => [path.slice('./pictures/'.length, -'.webp'.length), address],
  ),
);

/** The picture of a slide layout or, with `video-` before its name, of a video template. */
export function pictureNamed(name: string): string | undefined {
  return PICTURES[name];
}
