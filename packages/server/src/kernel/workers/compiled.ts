import { fileURLToPath } from 'node:url';

/**
 * Path of a compiled module next to its caller, for a worker process or thread, which run only JavaScript. When the
 * caller runs from its TypeScript source, as in tests, it is the path of the build's copy.
 * @param specifier relative, ends in `.js`. @param base the caller's `import.meta.url`.
 */
export function compiledPath(specifier: string, base: string): string {
  const path = fileURLToPath(new URL(specifier, base));
  return base.endsWith('.ts') ? path.replace(/([/\\]packages[/\\]server[/\\])src([/\\])/, '$1dist$2') : path;
}
