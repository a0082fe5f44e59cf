// Builds every workspace: `npm ci` runs it through `prepare`. Each step is skipped when its sources have not changed.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './paths.js';

const bin = (name) => join(root, 'node_modules', '.bin', name);
const BUILT = [
  'packages/contract/dist/index.js',
  'packages/media/dist/index.js',
  'packages/presenter/dist/index.js',
  'packages/presenter-web/dist/presenter.js',
  'packages/server/dist/main.js',
  'packages/server/dist/portraits',
  'packages/console/dist/index.html',
];
const KERNEL = join(root, 'packages/presenter/data/kernel/kernel.wasm');
const run = (command, args) => execFileSync(command, args, { cwd: root, stdio: 'inherit' });

if (!existsSync(bin('tsc'))) {
  // `npm ci --omit=dev`, as on a server to which the builds are copied.
  const missing = BUILT.filter((path) => !existsSync(join(root, path)));
  if (missing.length === 0) process.exit(0);
  console.error(
    `build: ${missing.join(', ')} missing, and so are the tools that make them. Run \`npm ci\`, and then, to drop the tools, \`npm prune --omit=dev\`.`,
  );
  process.exit(1);
}

waitForOtherBuild();
run(bin('tsc'), ['--build', join(root, 'tsconfig.json')]);
run(process.execPath, [join(root, 'packages/server/dist/features/avatars/pictures-process.js')]);
buildConsole();
await buildPresenterWeb();

/** Builds of one checkout write the same files, so a second one waits until the first has ended. */
function waitForOtherBuild() {
  const lock = join(root, 'node_modules', '.figurehead-build');
  for (let told = false; ; told = true) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const other = Number(existsSync(lock) && readFileSync(lock, 'utf8'));
    if (!isAlive(other)) rmSync(lock, { force: true });
    else if (!told) console.error(`build: waiting for another build of this checkout (process ${other}).`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  process.on('exit', () => rmSync(lock, { force: true }));
}

/** False for a process that has ended without removing its lock; 0 is one that has not written its id yet. */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Vite has no incremental build: the page is rebuilt only when one of its sources, or the SDK, is newer. */
function buildConsole() {
  const folder = join(root, 'packages/console');
  const built = join(folder, 'dist');
  const page = join(built, 'index.html');
  const sources = ['src', 'public', 'index.html', 'vite.config.ts', 'package.json'].map((name) => join(folder, name));
  const newest = Math.max(
    ...[...sources, join(root, 'packages/sdk/dist'), join(root, 'packages/presenter/dist')].map(newestBelow),
  );
  if (existsSync(page) && statSync(page).mtimeMs > newest) return;
  // Next to the old build, which a server may be reading.
  const fresh = join(folder, `.dist-${process.pid}`);
  try {
    execFileSync(bin('vite'), ['build', '--logLevel', 'warn', '--outDir', fresh], {
      cwd: folder,
      stdio: 'inherit',
      // Under a test runner this would otherwise be React's development build.
      env: { ...process.env, NODE_ENV: 'production' },
    });
    const embed = join(fresh, 'embed');
    for (const [source, script] of [
      ['packages/sdk/dist/widget/script.js', join(embed, 'figurehead.js')],
      ['packages/presenter/dist/viewer/index.js', join(embed, 'presenter.js')],
    ]) {
      bundle(source, script);
      compress(readFileSync(script), script);
    }
    compress(readFileSync(KERNEL), join(embed, 'kernel.wasm'));
    rmSync(built, { recursive: true, force: true });
    renameSync(fresh, built);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** The package for pages without a server: one script, and the files that it loads. */
async function buildPresenterWeb() {
  const dist = join(root, 'packages/presenter-web/dist');
  const [script, pack] = [join(dist, 'presenter.js'), join(dist, 'ava.pack.gz')];
  const sources = [join(dist, 'index.js'), join(root, 'packages/presenter/dist'), join(root, 'presenters/packs/ava')];
  if (existsSync(pack) && statSync(pack).mtimeMs > Math.max(...sources.map(newestBelow))) return;
  bundle('packages/presenter-web/dist/index.js', script);
  copyFileSync(KERNEL, join(dist, 'kernel.wasm'));
  copyFileSync(join(root, 'packages/presenter/data/from-sound/network.json'), join(dist, 'network.json'));
  const { archivePack } = await import('../packages/media/dist/presenter/index.js');
  writeFileSync(pack, await archivePack(join(root, 'presenters/packs/ava'), true));
}

/** A module with all that it imports, in one script. Bundled by Vite's bundler. */
function bundle(source, script) {
  execFileSync(bin('rolldown'), [join(root, source), '--file', script, '--format', 'esm', '--minify'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function compress(bytes, file) {
  writeFileSync(file, bytes);
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}

/**
 * Time of the latest change at or below a path, milliseconds; the compiler's type information is not part of the page.
 */
function newestBelow(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return /\.(tsbuildinfo|d\.ts|map)$/.test(path) ? 0 : stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newestBelow(join(path, name))));
}
