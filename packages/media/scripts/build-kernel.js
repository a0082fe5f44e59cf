// `npm run kernel`: compiles the AssemblyScript kernels (drawing, portrait networks), with a compiler that npm fetches
// for this run (33 MB that nothing else needs: docs/decisions/0021). `--check` only fails when sources have changed
// since their last compilation.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMPILER = 'assemblyscript@0.27.37';
const OPTIONS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--enable', 'threads'];
// The maximum is address space only; declaring it allows shared memory, so that views of it stay valid when it grows.
const MEMORY = ['--importMemory', '--sharedMemory', '--initialMemory', '16', '--maximumMemory', '16384'];

const media = dirname(dirname(fileURLToPath(import.meta.url)));

/** Folders of sources, and of what is made from them. */
const KERNELS = [
  ['../presenter/src/drawing/assembly', '../presenter/data/kernel'],
  ['src/photo/network/assembly', 'data/networks'],
];

for (const [sources, to] of KERNELS) {
  const output = join(media, to, 'kernel.wasm');
  const record = join(media, to, 'made-from.json');
  const sha256 = hashOf(join(media, sources), [COMPILER, ...OPTIONS, ...MEMORY]);
  const made = `${JSON.stringify({ compiler: COMPILER, sha256 }, null, 2)}\n`;
  if (!process.argv.includes('--check')) {
    const asc = ['--yes', `--package=${COMPILER}`, '--', 'asc', join(sources, 'index.ts'), '--outFile', output];
    execFileSync('npx', [...asc, ...OPTIONS, ...MEMORY], { cwd: media, stdio: 'inherit' });
    writeFileSync(record, made);
  } else if (readFileSync(record, 'utf8') !== made) {
    console.error(`${output} is older than ${sources}; run \`npm run kernel\``);
    process.exitCode = 1;
  }
}

/** Of the compiler, its options and all sources by name. */
function hashOf(sources, settings) {
  const hash = createHash('sha256').update(settings.join('\n'));
  const files = readdirSync(sources).filter((name) => name !== 'tsconfig.json');
  for (const name of files.sort()) hash.update(`\n${name}\n${readFileSync(join(sources, name), 'utf8')}`);
  return hash.digest('hex');
}
