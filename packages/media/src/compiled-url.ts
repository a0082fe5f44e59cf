/**
 * Address of a compiled module next to the caller, for `new Worker(url)`. Threads run JavaScript only: when the caller
 * itself runs from `…/src/*.ts` (tests on sources), the address points into the corresponding `dist` folder. `base` is
 * the caller's `import.meta.url`, `specifier` a relative one that ends in `.js`.
 */
export function compiledUrl(specifier: string, base: string): URL {
  const url = new URL(specifier, base);
  if (!base.endsWith('.ts')) return url;
  const at = url.pathname.lastIndexOf('/src/');
  if (at < 0) throw new Error(`expected a source file under a src folder, got ${base}`);
  url.pathname = `${url.pathname.slice(0, at)}/dist/${url.pathname.slice(at + '/src/'.length)}`;
  return url;
}
