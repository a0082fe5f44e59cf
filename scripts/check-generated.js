// Generated files that are kept in git (for readers without a build) must match the current sources.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { helmTemplates } from './helm-chart.js';
import { root } from './paths.js';

const write = process.argv.includes('--write');

/** Each generated file with the function that generates its text from the present one. */
const generated = {
  'docs/configuration.md': async () =>
    (await import('../packages/server/dist/kernel/config/config.js')).configurationPage(),
  'docs/voices.md': async (text) => (await import('./voices-page.js')).voicesPage(text),
  ...helmTemplates,
};

let stale = 0;
for (const [file, make] of Object.entries(generated)) {
  const path = join(root, file);
  const found = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const wanted = await make(found);
  if (write) writeFileSync(path, wanted);
  else if (found !== wanted) {
    console.error(`${file} does not match the sources; run \`node scripts/check-generated.js --write\``);
    stale += 1;
  }
}
process.exit(stale > 0 ? 1 : 0);
