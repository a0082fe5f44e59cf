import { existsSync } from 'node:fs';
import type { Plugin } from 'vitest/config';

const SOURCE = /\/packages\/(contract|media|presenter|sdk|server)\/src\/(.+)(?<!\.test)\.ts$/;

/** Modules of the build, which Node loads itself: the test runner neither transforms nor wraps them. */
export const COMPILED = /\/packages\/(contract|media|presenter|sdk|server)\/dist\//;

/**
 * Lets tests run the build of the sources that they import, like the threads and processes that they start: Node loads it in a fraction
 * of the time, and no module is there twice. The global setup has built it. While the runner watches the sources for changes, it transforms them itself, because only it knows what has changed.
 */
export function compiledSources(): Plugin {
  let isWatching = false;
  return {
    name: 'compiled-sources',
    enforce: 'pre',
    configResolved(config) {
      isWatching = config.server.watch !== null;
    },
    async resolveId(source, importer, options) {
      if (isWatching || importer === undefined) return null;
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
      const compiled = resolved?.id.replace(SOURCE, '/packages/$1/dist/$2.js');
      return compiled !== undefined && compiled !== resolved?.id && existsSync(compiled) ? compiled : resolved;
    },
  };
}
