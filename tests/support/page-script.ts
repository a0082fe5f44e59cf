import { build } from 'vite';

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
