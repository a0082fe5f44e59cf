import { build } from 'vite';
import { openSite, type Site } from './site.js';

/** An npm package as a script for a page, unchanged. @param entry its file or name; @param name the page's global that has its exports. */
export async function pageScript(entry: string, name: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { write: false, minify: false, lib: { entry, formats: ['iife'], name } },
  });
  const [result] = [built].flat();
  const chunk = result !== undefined && 'output' in result ? result.output[0] : undefined;
  if (chunk === undefined) throw new Error(`${entry} could not be bundled`);
  return chunk.code;
}

const PAGE = '<!doctype html><title>Viewer</title><video autoplay playsinline muted></video><audio autoplay></audio>';

/** A page with a video and an audio element that has the package as {@link pageScript}. The caller closes it. */
export async function openPackageSite(entry: string, name: string): Promise<Site> {
  const script = await pageScript(entry, name);
  return openSite(({ url }, response) => {
    const isScript = url === '/package.js';
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? script : `${PAGE}<script src="/package.js"></script>`);
  });
}
