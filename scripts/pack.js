// `node scripts/pack.js FOLDER`: writes the tarballs of the public packages to a folder: figurehead, @figurehead/sdk,
// @figurehead/contract and @figurehead/presenter-web. Needs a build. GITHUB_REPOSITORY (owner/name), set by the release's workflow, becomes the
// packages' repository and homepage.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePackages } from './bundle.js';
import { root } from './paths.js';

const KEYWORDS = ['avatar', 'presenter', 'text-to-video', 'lip-sync', 'video', 'webrtc', 'self-hosted'];

/** Excludes build caches and source maps, which an installation does not need. */
const isShipped = (path) => !/\.(map|tsbuildinfo|test\.js|test\.d\.ts)$/.test(path);
const isProgram = (path) => isShipped(path) && !path.endsWith('.d.ts');

/** @returns the tarballs' paths in `folder`, by package name. */
export function packAll(folder) {
  const into = resolve(folder);
  mkdirSync(into, { recursive: true });
  const stage = mkdtempSync(join(tmpdir(), 'figurehead-pack-'));
  try {
    const libraries = ['contract', 'sdk', 'presenter-web'].map((name) => stageLibrary(stage, name));
    const staged = [...libraries, stageProgram(stage)];
    return Object.fromEntries(staged.map((path) => [manifestOf(path).name, pack(path, into)]));
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function pack(path, into) {
  const out = execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', into], {
    cwd: path,
    // Otherwise npm prints a line for each of 8000 files.
    maxBuffer: 2 ** 26,
  });
  // An array, or from npm 12 an object by name.
  const [{ filename, size, unpackedSize }] = Object.values(JSON.parse(out.toString()));
  console.log(`${filename}: ${megabytes(size)} MB, ${megabytes(unpackedSize)} MB unpacked`);
  return join(into, filename);
}

function stageLibrary(stage, name) {
  const from = join(root, 'packages', name);
  const to = join(stage, name);
  copy(join(from, 'dist'), join(to, 'dist'), isShipped);
  const own = join(from, 'LICENSE');
  copy(existsSync(own) ? own : join(root, 'LICENSE'), join(to, 'LICENSE'));
  copy(join(from, 'README.md'), join(to, 'README.md'));
  return writeManifest(to, { ...manifestOf(from), keywords: KEYWORDS, ...origin() });
}

/**
 * The program keeps the repository's layout, because its parts find each other by relative paths. The engine, the
 * contract and the packages that they need are bundled, so that users have the versions that were tested.
 */
function stageProgram(stage) {
  const to = join(stage, 'figurehead');
  const server = manifestOf(join(root, 'packages/server'));
  const media = manifestOf(join(root, 'packages/media'));
  for (const part of ['bin', 'dist', 'migrations', 'package.json']) {
    copy(join(root, 'packages/server', part), join(to, 'packages/server', part), isProgram);
  }
  copy(join(root, 'packages/server/README.md'), join(to, 'README.md'));
  copy(join(root, 'packages/server/SKILL.md'), join(to, 'SKILL.md'));
  copy(join(root, 'docs/howto'), join(to, 'docs/howto'));
  copy(join(root, 'LICENSE'), join(to, 'LICENSE'));
  copy(join(root, 'packages/console/dist'), join(to, 'packages/console/dist'), isShipped);
  for (const part of ['packs', 'README.md', 'LICENSE.SFHQ-T2I.txt']) {
    copy(join(root, 'presenters', part), join(to, 'presenters', part));
  }
  const engine = join(to, 'node_modules/@figurehead/media');
  copy(join(root, 'packages/media/dist'), join(engine, 'dist'), isProgram);
  // All of its data except the corpus, which only tests read.
  copy(join(root, 'packages/media/data'), join(engine, 'data'), (name) => name !== 'reading');
  const { name, version, license, type, exports } = media;
  writeManifest(engine, { name, version, license, type, exports });
  const presenter = manifestOf(join(root, 'packages/presenter'));
  for (const part of ['dist', 'data']) {
    copy(join(root, 'packages/presenter', part), join(to, 'node_modules', presenter.name, part), isProgram);
  }
  writeManifest(join(to, 'node_modules', presenter.name), presenter);
  const contract = manifestOf(join(root, 'packages/contract'));
  copy(join(root, 'packages/contract/dist'), join(to, 'node_modules', contract.name, 'dist'), isProgram);
  writeManifest(join(to, 'node_modules', contract.name), contract);
  const sdk = manifestOf(join(root, 'packages/sdk'));
  copy(join(root, 'packages/sdk/dist'), join(to, 'node_modules', sdk.name, 'dist'), isProgram);
  writeManifest(join(to, 'node_modules', sdk.name), sdk);
  const workspaces = ['packages/server', 'packages/media', 'packages/contract'];
  const { dependencies, optionalDependencies } = bundlePackages(workspaces, to);
  const bundled = {
    [contract.name]: contract.version,
    [name]: version,
    [presenter.name]: presenter.version,
    [sdk.name]: sdk.version,
    ...dependencies,
  };
  return writeManifest(to, {
    name: 'figurehead',
    version: server.version,
    description: manifestOf(root).description,
    license: server.license,
    keywords: KEYWORDS,
    ...origin(),
    type: 'module',
    bin: { figurehead: 'packages/server/bin/figurehead.js' },
    files: ['packages', 'presenters', 'docs', 'SKILL.md'],
    engines: server.engines,
    dependencies: bundled,
    optionalDependencies,
    peerDependencies: media.peerDependencies,
    peerDependenciesMeta: media.peerDependenciesMeta,
    bundleDependencies: Object.keys(bundled),
  });
}

function origin() {
  const name = process.env.GITHUB_REPOSITORY;
  if (!name) return {};
  const page = `https://github.com/${name}`;
  return { homepage: `${page}#readme`, bugs: `${page}/issues`, repository: { type: 'git', url: `git+${page}.git` } };
}

function copy(from, to, filter = () => true) {
  if (!existsSync(from)) {
    console.error(`pack: ${from} is missing; run npm run build first`);
    process.exit(1);
  }
  cpSync(from, to, { recursive: true, filter: (path) => filter(basename(path)) });
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Scripts and development dependencies are not needed in an installation. */
function writeManifest(folder, { scripts: _, devDependencies: __, ...manifest }) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return folder;
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === undefined) {
    console.error('usage: node scripts/pack.js FOLDER');
    process.exit(1);
  }
  packAll(process.argv[2]);
}
