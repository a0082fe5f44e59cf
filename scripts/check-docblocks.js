// Every exported symbol of the product has a docblock. Re-exports are documented at their definition; types that are
// only derived from a table or schema (`keyof typeof TABLE`, `(typeof LIST)[number]`, `Static<typeof Schema>`) are
// documented there. Icons (`IconX = outline(…)`) are described by their names.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { filesBelow, root } from './paths.js';

const problems = [];

function names(node) {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.map((d) => d.name.getText());
  return [node.name?.getText() ?? 'default'];
}

/** A type that adds nothing to the value from which it is derived. */
const isTaken = (node) => ts.isTypeAliasDeclaration(node) && /\btypeof \w+/.test(node.type.getText());

/** A drawing that is described by its name. */
const isIcon = (node) =>
  ts.isVariableStatement(node) && /^export const Icon\w+ = (outline|filled)\(/.test(node.getText());

for (const file of filesBelow(join(root, 'packages'), ['.ts', '.tsx'])) {
  if (file.endsWith('.test.ts') || file.endsWith('.d.ts') || file.includes('/assembly/')) continue;
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const documented = new Set();
  for (const node of source.statements) {
    const exported =
      ts.canHaveModifiers(node) && ts.getModifiers(node)?.some((m) => m.kind === ts.SyntaxKind.ExportKeyword);
    if (!exported) continue;
    const hasBlock = ts.getJSDocCommentsAndTags(node).length > 0;
    for (const name of names(node)) {
      // A type and a value of one name, or overloads, share one docblock.
      if (hasBlock) documented.add(name);
      else if (!documented.has(name) && !isTaken(node) && !isIcon(node)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        problems.push(`${relative(root, file)}:${line + 1}: exported ${name} has no docblock`);
      }
    }
  }
}

for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
