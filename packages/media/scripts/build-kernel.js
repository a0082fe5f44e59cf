// Compiles the AssemblyScript drawing kernel to dist/presenter/kernel.wasm; does nothing when it is up to date.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(import.meta.url);
const media = dirname(dirname(script));
const sources = join(media, 'src/presenter/assembly');
const output = join(media, 'dist/presenter/kernel.wasm');

const modified = (file) => statSync(file).mtimeMs;
const inputs = [script, ...readdirSync(sources).map((name) => join(sources, name))];
const isFresh = existsSync(output) && inputs.every((file) => modified(file) < modified(output));

if (!isFresh) {
  mkdirSync(dirname(output), { recursive: true });
  const packageJson = createRequire(script).resolve('assemblyscript/package.json');
  // Written to a temporary file and renamed, so that a test that starts meanwhile never reads half a module.
  const unfinished = `${output}.${process.pid}`;
  const options = [
    '--outFile',
    unfinished,
    '-O3',
    '--noAssert',
    '--runtime',
    'stub',
    '--enable',
    'simd',
    '--enable',
    'threads',
  ];
  // The maximum is address space only; declaring it allows shared memory, so that views of it stay valid when it grows.
  const memory = ['--importMemory', '--sharedMemory', '--initialMemory', '16', '--maximumMemory', '16384'];
  execFileSync(
    process.execPath,
    [join(dirname(packageJson), 'bin/asc.js'), join(sources, 'index.ts'), ...options, ...memory],
    { cwd: media, stdio: 'inherit' },
  );
  renameSync(unfinished, output);
}
