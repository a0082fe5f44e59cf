import { readFileSync } from 'node:fs';

/** The version in package.json of the compiled program. */
export function programVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
