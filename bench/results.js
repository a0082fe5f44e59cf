/** The file of benchmark results, with a section for each benchmark. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const RESULTS = fileURLToPath(new URL('RESULTS.md', import.meta.url));

/** Writes a section (`title` is its line `## …`) into the results and replaces an older one. */
export async function writeSection(/** @type {string} */ title, /** @type {string} */ text) {
  const known = await readFile(RESULTS, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '# Benchmark results\n\n';
    throw error;
  });
  const start = known.indexOf(`${title}\n`);
  const next = start < 0 ? -1 : known.indexOf('\n## ', start + 1);
  const before = start < 0 ? `${known.trimEnd()}\n\n` : known.slice(0, start);
  await writeFile(RESULTS, `${before}${text}${next < 0 ? '' : known.slice(next)}`);
}
