// A function fits on a screen: at most 80 lines, a React component at most 120. Blank lines and lines of comments do not count.
// (Biome's noExcessiveLinesPerFunction counts 157 lines where an editor shows 196.)
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { filesBelow, root } from './paths.js';

const MOST = 80;
const MAX_OF_A_COMPONENT = 120;

/** Components are functions of `.tsx` files whose names begin with a capital. */
const isComponent = (node, file) => file.endsWith('.tsx') && /^[A-Z]/.test(node.name?.text ?? '');

const problems = [];
for (const file of filesBelow(join(root, 'packages'), ['.ts', '.tsx'])) {
  if (/\.(test|d)\.tsx?$/.test(file) || file.includes('/assembly/')) continue;
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const code = source.text.split('\n').map((line) => !/^\s*(\/\/|\/\*|\*|$)/.test(line));
  const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node) => {
    ts.forEachChild(node, visit);
    if (!ts.isFunctionLike(node) || node.body === undefined) return;
    const first = lineAt(node.getStart());
    const lines = code.slice(first, lineAt(node.end) + 1).filter(Boolean).length;
    if (lines <= (isComponent(node, file) ? MAX_OF_A_COMPONENT : MOST)) return;
    const name = node.name?.getText() ?? 'a function';
    problems.push(`${relative(root, file)}:${first + 1}: ${name} has ${lines} lines`);
  };
  visit(source);
}

for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
