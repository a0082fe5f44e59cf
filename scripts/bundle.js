// The packages that the program needs, without files that only their developers need, for the tarball of `figurehead`
// (docs/decisions/0021).
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './paths.js';

/**
 * Excluded files: types, maps, sources and texts, and builds for browsers and bundlers; tests, examples and pages at
 * the top of a package.
 */
const UNUSED_FILES = /\.(d\.[cm]?ts|[cm]?tsx?|map|tsbuildinfo|flow|markdown|md)$|^dist-es\/|(^|[/.-])browser([/.-]|$)/;
const UNUSED_FOLDERS = /^(tests?|__tests__|docs|examples?|benchmarks?|bench|playground|website|\.github)$/;
const LICENCES = /^(licen[cs]e|copying|notice)/i;

/** For packages with several builds, or with fonts for unused axes: the files that are needed. */
const USED_FILES = [
  [/^tinyld$/, /^dist\/tinyld\.(cjs|esm)\.js$/],
  [/^@modelcontextprotocol\//, /^dist\/.*\.mjs$/],
  [/^zod$/, /^(?!src\b)(?:.*\.js|[\w/-]+)$/],
  [/^@hyzyla\/pdfium$/, /^dist\/(index\.(esm|cjs)(\.js)?|pdfium\.wasm)$/],
  [/^@fontsource(-variable)?\//, /^(unicode\.json|files\/.*-(wght|\d+)-(normal|italic)\.woff2)$/],
];

/**
 * Copies packages from the repository's installation, in the versions of its lock file. Platform-specific packages are
 * left to npm, which selects the right ones.
 * @param workspaces folders whose dependencies are included, such as `packages/server`.
 * @returns the bundled packages and those of all platforms, with their exact versions.
 */
export function bundlePackages(workspaces, to) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const dependencies = {};
  const optionalDependencies = {};
  for (const location of neededBy(workspaces, packages)) {
    const { version, os, cpu } = packages[location];
    const [, name] = /^(?:packages\/\w+\/)?node_modules\/(.*)$/.exec(location);
    const isNested = name.includes('/node_modules/');
    if (os || cpu) {
      if (!isNested) optionalDependencies[name] = version;
      continue;
    }
    const target = join(to, 'node_modules', name);
    if (existsSync(join(target, 'package.json'))) throw new Error(`two versions of ${name} at the top of the tarball`);
    if (!isNested) dependencies[name] = version;
    copyPackage(join(root, location), target, name.split('/node_modules/').at(-1));
  }
  return { dependencies: sorted(dependencies), optionalDependencies: sorted(optionalDependencies) };
}

/** Locations in the lock file of everything that the workspaces load, found as Node finds packages. */
function neededBy(workspaces, packages) {
  const found = new Set();
  const queue = [...workspaces];
  for (let location = queue.shift(); location !== undefined; location = queue.shift()) {
    const { dependencies, optionalDependencies, os, cpu } = packages[location];
    // npm installs the dependencies of platform-specific packages.
    if (os || cpu) continue;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const next = locate(name, location, packages);
      // An optional package removed by `overrides`, or another workspace.
      if (next === undefined || packages[next].link || found.has(next)) continue;
      // An optional package that would be compiled on the user's machine only makes another one faster.
      if (packages[next].optional && packages[next].hasInstallScript && !packages[next].os) continue;
      found.add(next);
      queue.push(next);
    }
  }
  return [...found].sort();
}

function locate(name, from, packages) {
  for (let folder = from; ; folder = dirname(folder)) {
    const location = folder === '.' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[location] !== undefined) return location;
    if (folder === '.') return undefined;
  }
}

function copyPackage(from, to, name) {
  const [, used] = USED_FILES.find(([pattern]) => pattern.test(name)) ?? [];
  const isLicensed = readdirSync(from).some((file) => LICENCES.test(file));
  const isWanted = (path) => {
    const inside = relative(from, path).replaceAll('\\', '/');
    const parts = inside.split('/');
    if (inside === '' || inside === 'package.json') return true;
    if (parts.length === 1 && (LICENCES.test(inside) || (!isLicensed && /^readme/i.test(inside)))) return true;
    if (parts[0] === 'node_modules' || UNUSED_FOLDERS.test(parts[0])) return false;
    return used === undefined ? !UNUSED_FILES.test(inside) : used.test(inside) || /^(dist|files)$/.test(inside);
  };
  mkdirSync(to, { recursive: true });
  cpSync(from, to, { recursive: true, filter: isWanted });
  // Its platform-specific packages are the program's; its development dependencies are not needed.
  const {
    scripts: _,
    devDependencies: __,
    optionalDependencies: ___,
    ...manifest
  } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function sorted(record) {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
