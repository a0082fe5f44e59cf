// A function fits on a screen: at most 80 lines, a React component at most 120. Blank lines and lines of comments do
// not count. A folder has at most 20 files at one level, not counting tests; more are split into folders by topic.
// (Biome's noExcessiveLinesPerFunction counts 157 lines where an editor shows 196.)
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { filesBelow, root } from './paths.js';

const MAX_LINES = 80;
const MAX_OF_A_COMPONENT = 120;
const MAX_FILES = 20;

/** Components are functions of `.tsx` files whose names begin with a capital. */
const isComponent = (node, file) => file.endsWith('.tsx') && /^[A-Z]/.test(node.name?.text ?? '');

const problems = [];
const files = new Map();
for (const file of filesBelow(join(root, 'packages'), ['.ts', '.tsx'])) {
  if (/\.(test|d)\.tsx?$/.test(file) || file.includes('/assembly/')) continue;
  files.set(dirname(file), (files.get(dirname(file)) ?? 0) + 1);
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const code = source.text.split('\n').map((line) => !/^\s*(\/\/|\/\*|\*|$)/.test(line));
  const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node) => {
    ts.forEachChild(node, visit);
    if (!ts.isFunctionLike(node) || node.body === undefined) return;
    const first = lineAt(node.getStart());
    const lines = code.slice(first, lineAt(node.end) + 1).filter(Boolean).length;
    if (lines <= (isComponent(node, file) ? MAX_OF_A_COMPONENT : MAX_LINES)) return;
    const name = node.name?.getText() ?? 'a function';
    problems.push(`${relative(root, file)}:${first + 1}: ${name} has ${lines} lines`);
  };
  visit(source);
}

for (const [folder, count] of files)
  if (count > MAX_FILES) problems.push(`${relative(root, folder)}: ${count} files at one level`);

for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
